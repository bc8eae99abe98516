import { problemOf, programOf, run } from '../rules.test-kit.js';

const MANY = Array.from({ length: 1_000_000 }, (_, at) => at);
const LONG = 'a'.repeat(1_000_000);

/** Objects or lists in each other. */
function deep(levels: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = isList ? [value] : { a: value };
  return value;
}

const parsed = (text: string): unknown => JSON.parse(text);

describe('values that would cost too much are errors', () => {
  test.each([
    ['args.l.all(x, x >= 0)', { l: MANY }, 'too_many_elements'],
    ['args.l.exists(x, x < 0)', { l: MANY }, 'too_many_elements'],
    ['args.l.map(x, x)[0] == 0', { l: MANY }, 'too_many_elements'],
    ['-1 in args.l', { l: MANY }, 'too_many_elements'],
    ['args.l == args.m', { l: MANY, m: [...MANY] }, 'too_many_elements'],
    [
      'args.o.all(k, k != "")',
      { o: Object.fromEntries(MANY.slice(0, 2000).map((at) => [`k${at}`, 0])) },
      'too_many_elements',
    ],
    ['args.l.all(x, x in args.l)', { l: MANY.slice(0, 1000).map(() => 1) }, 'too_costly'],
    ['args.l.all(x, x in args.l)', { l: MANY.slice(0, 90) }, true],
    ['args.l.all(x, !(-1 in args.l))', { l: MANY.slice(0, 1000) }, 'too_costly'],
    ['args.l + args.l + args.l == []', { l: MANY.slice(0, 999) }, 'too_many_elements'],
    ['args.s.matches("(a+)+$")', { s: LONG }, 'text_too_long'],
    ['size(args.s) > 3', { s: LONG }, 'text_too_long'],
    ['"b" in words(args.s)', { s: LONG }, 'text_too_long'],
    ['lower(args.s) == ""', { s: LONG }, 'text_too_long'],
    ['read_only_sql(args.s)', { s: LONG }, 'text_too_long'],
    ['domain_in(args.s, ["a.b"])', { s: LONG }, 'text_too_long'],
    ['args.s + args.s == ""', { s: LONG }, 'text_too_long'],
    ['args.l.all(s, s.matches("^a*$"))', { l: Array.from({ length: 1000 }, () => 'a'.repeat(1000)) }, 'text_too_long'],
    ['args.s.contains(args.t)', { s: LONG, t: 'b' }, 'text_too_long'],
    [
      'args.l.all(x, !args.s.contains(x))',
      { l: MANY.slice(0, 1000).map(String), s: 'a'.repeat(10_000) },
      'text_too_long',
    ],
    [
      'args.l.all(x, args.s < "b" || size(args.s) > 1)',
      { l: MANY.slice(0, 1000), s: 'b'.repeat(10_000) },
      'text_too_long',
    ],
    ['args.l.all(x, args.s != args.t)', { l: MANY.slice(0, 1000), s: `${LONG}b`, t: `${LONG}c` }, 'text_too_long'],
    [
      'args.l.all(x, (args.s + x).startsWith("a"))',
      { l: MANY.slice(0, 1000).map(String), s: 'a'.repeat(10_000) },
      'text_too_long',
    ],
    [
      'args.l.all(x, size(args.o) > 1)',
      { l: MANY.slice(0, 1000), o: Object.fromEntries(MANY.slice(0, 900).map((at) => [`k${at}`, 0])) },
      'too_costly',
    ],
    ['args.d == args.e', { d: deep(10_000, true), e: deep(10_000, true) }, 'too_costly'],
    ['args.d == args.e', { d: deep(10_000, false), e: deep(10_000, false) }, 'too_costly'],
    ['args.d in [args.e]', { d: deep(10_000, false), e: deep(10_000, true) }, false],
  ])('%s', (text, args, result) => {
    expect(run(text, args)).toBe(result);
  });

  test('size of a large list is known at once', () => {
    expect(run('size(args.l) == 1000000', { l: MANY })).toBe(true);
  });
});

describe('names of prototypes are plain data', () => {
  test.each([
    ['has(args.constructor)', '{}', false],
    ['has(args.constructor)', '{"constructor":1}', true],
    ['args.constructor == "Acme"', '{"constructor":"Acme"}', true],
    ["args['__proto__'].admin", '{"__proto__":{"admin":true}}', true],
    ['has(args.admin)', '{"__proto__":{"admin":true}}', false],
    ['has(args.toString)', '{}', false],
    ["'hasOwnProperty' in args", '{}', false],
    ['args.o.all(k, k == "__proto__")', '{"o":{"__proto__":1}}', true],
    ['args.o == args.p', '{"o":{"__proto__":1},"p":{"__proto__":2}}', false],
    ['args.o == args.p', '{"o":{"__proto__":1},"p":{"constructor":1}}', false],
    ['args.amount <= 100', '{"amount":5,"constructor":{"name":"Map"}}', true],
    ['args.o.amount <= 100', '{"o":{"amount":5,"constructor":"x","valueOf":1,"toString":null}}', true],
    ['args.valueOf == 1', '{"valueOf":1}', true],
    ['size(args.o) == 1', '{"o":{"size":3}}', true],
    ['args.o.length == 3', '{"o":{"length":3}}', true],
    ['args.l.length == 3', '{"l":[1,2,3]}', 'wrong_type'],
    ['args.s.length == 3', '{"s":"abc"}', 'wrong_type'],
  ])('%s of %s is %s', (text, args, result) => {
    expect(run(text, parsed(args))).toBe(result);
  });
});

describe('numbers that are none', () => {
  test.each([
    ['args.n <= 100', { n: NaN }, 'number_too_large'],
    ['args.n > 100', { n: Infinity }, 'number_too_large'],
    ['args.n == args.n', { n: NaN }, 'number_too_large'],
    ['args.n <= 100', { n: 'NaN' }, 'wrong_type'],
    ['args.n <= 100', { n: parsed('9007199254740993') }, 'number_too_large'],
    ['args.n in [1, 2]', { n: parsed('1e400') }, 'number_too_large'],
    ['args.n / 0 > 1', { n: 1 }, true],
    ['args.a / args.b > 1', { a: 0, b: 0 }, 'number_too_large'],
    ['args.n == -0.0', { n: 0 }, true],
    ['double(args.n) > 1', { n: '0x10' }, 'not_convertible'],
    ['int(args.n) > 1', { n: ' 7' }, 'not_convertible'],
  ])('%s of %j is %s', (text, args, result) => {
    expect(run(text, args)).toBe(result);
  });
});

describe('contains', () => {
  test.each([
    ['aab', 'aaaab', true],
    ['ab', 'aaaa', false],
    ['', 'a', true],
    ['abcabd', 'abcabcabd', true],
  ])('%j in repetitions of %j', (part, text, found) => {
    for (const times of [1, 3000, 20_000]) {
      const [s, t] = [text.repeat(times), part.repeat(Math.min(times, 5000))];
      expect(run('args.s.contains(args.t)', { s, t })).toBe(s.includes(t));
      if (times === 1) expect(s.includes(t)).toBe(found);
    }
  });

  test('a part as long as half of the text', () => {
    const s = 'a'.repeat(130_000);
    const t = `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`;
    expect(run('args.s.contains(args.t)', { s, t })).toBe(false);
    expect(run('args.s.contains(args.t)', { s: `${s}b${'a'.repeat(30_000)}`, t })).toBe(true);
  });
});

test('patterns that make others search for ever are linear', () => {
  for (const pattern of ['(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){12}', '([a-z]+)*@']) {
    expect(run(`args.s.matches('${pattern}')`, { s: `${'a'.repeat(60_000)}!` })).not.toBe('too_costly');
  }
});

test('a parser of text from outside never throws', () => {
  for (const text of [
    '',
    ' ',
    '(',
    '"',
    "'''",
    '\\',
    '\0',
    'a.b.',
    'has(',
    '[[[',
    '{'.repeat(100),
    '!'.repeat(1000),
    '-'.repeat(1000),
    '\ud800',
    '1e999',
    '9'.repeat(400),
    "'\\ud800'",
    'true ? true',
    '//',
    'b""',
    'r"\\"',
    'a\u2028b',
    '__proto__',
    'constructor',
    'args.constructor.constructor("x")()',
    'args.toString()',
    'cel.bind(x, 1, x == 1)',
    'optional.of(1)',
    'args.?a',
    'b"x".json()',
  ]) {
    expect([text, problemOf(text)]).toEqual([text, expect.objectContaining({ message: expect.any(String) as string })]);
  }
});

test('an evaluation leaves nothing behind for the next', () => {
  const program = programOf('args.l.all(x, !(-1 in args.l))');
  const input = (length: number) => ({ values: { args: { l: MANY.slice(0, length) } }, offsets: {} });
  expect(program.run(input(1000))).toBe('too_costly');
  expect(program.run(input(10))).toBe(true);
});
