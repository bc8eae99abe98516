import fc from 'fast-check';
import { pathViews } from './path-views.js';

const segments = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** RFC 3986 section 6.2.2, a match at a time. */
const normalized = (path: string): string =>
  path.replace(/%[0-9A-Fa-f]{2}/g, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : code.toUpperCase();
  });
const decoded = (path: string): string =>
  path.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const piece = fc.oneof(
  fc.constantFrom('/', '%', '%2', '%2f', '%2F', '%41', '%7e', '%25', '%c3%a9', '%G1', '%%31', 'a', 'B', '-'),
  fc.stringMatching(/^%[0-9A-Fa-f]{2}$/),
);
const path = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => `/%20${pieces.join('')}`);

describe('the views of a path', () => {
  it('begin with the path as RFC 3986 normalizes it, and continue with what is decoded once', () => {
    fc.assert(
      fc.property(path, (text) => {
        const views = pathViews(text);
        fc.pre(views !== null);
        expect(views[0]).toEqual(segments(normalized(text)));
        // Dot segments and backslashes are resolved as well: other tests cover them.
        fc.pre(!/[\\;]|\.\.?(?:\/|$)/.test(decoded(text)));
        expect(views[1]).toEqual(segments(decoded(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it('are the same of a path that is longer than one piece', () => {
    const text = `/${'%41%e9'.repeat(10_000)}`;
    expect(pathViews(text)![0]).toEqual(['A%E9'.repeat(10_000)]);
    expect(pathViews(text)![1]).toEqual(['A\u00e9'.repeat(10_000)]);
  });
});
