import { exactValue, isLong } from './exact-numbers.js';

const exact = (text: string): unknown => exactValue({ value: JSON.parse(text), text });

describe('numbers of a message', () => {
  it.each(['0', '-0', '0.0', '1.0', '1e5', '1E+5', '0.1', '1.50', '-12.25e-3', '9007199254740993e0', '5e-324'])(
    '%s: is a number if a double represents it',
    (written) => {
      const isHeld = written !== '9007199254740993e0';
      expect(exact(written)).toEqual(isHeld ? Number(written) : '9007199254740993e0 (9007199254740992)');
    },
  );

  it.each([
    ['12345678901234567890', '12345678901234567000'],
    ['9007199254740993', '9007199254740992'],
    ['-0.10000000000000000001', '-0.1'],
    ['41111111111111110001e-4', '4111111111111111'],
    ['1e-400', '0'],
    ['1e400', 'Infinity'],
    ['1e99999999999999999999', 'Infinity'],
  ])('%s: is text otherwise, with the value that most readers parse', (written, held) => {
    expect(exact(`{"a":[${written},1],"b":"${written}"}`)).toEqual({
      a: [`${written} (${held})`, 1],
      b: written,
    });
  });

  it('are left alone inside strings and names, whatever those contain', () => {
    const text = '{"12345678901234567890":"\\"12345678901234567890\\\\","a":12345678901234567890}';
    expect(exact(text)).toEqual({
      '12345678901234567890': '"12345678901234567890\\',
      a: '12345678901234567890 (12345678901234567000)',
    });
    const plain = { value: { a: 1 }, text: '{"a":1}' };
    expect(exactValue(plain)).toBe(plain.value);
  });

  it('are text if requested', () => {
    const text = '[123456789,-4111111111111111.0,4.111e15,12345678,0.123456789012,1e-9]';
    expect(exactValue({ value: JSON.parse(text), text }, isLong)).toEqual([
      '123456789',
      '-4111111111111111',
      '4111000000000000',
      12345678,
      0.123456789012,
      1e-9,
    ]);
  });
});
