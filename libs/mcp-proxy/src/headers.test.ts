import { readHeaders } from './headers.js';

describe('headers for a server', () => {
  it('take secrets from the environment', () => {
    const lines = ['Authorization: Bearer ${TOKEN}', 'x-b:c:d', 'x-empty:'];
    expect(readHeaders(lines, { TOKEN: 's' })).toEqual({ Authorization: 'Bearer s', 'x-b': 'c:d', 'x-empty': '' });
  });

  it.each([
    ['no colon', /Name: value/u],
    ['a b: c', /Name: value/u],
    ['a: ${NOT_SET}', /NOT_SET is not set/u],
    ['a: ${TOKEN}', /no header may have/u],
  ])('%s: reports the problem without any value', (line, expected) => {
    const said = readHeaders([line], { TOKEN: 'secret\r\nx: y' });
    expect(said).toMatch(expected);
    expect(said).not.toContain('secret');
  });
});
