import fc from 'fast-check';
import { normalHost } from './normal-host.js';
import { readUrl } from './read-url.js';

/** The same by the parser of the platform alone. */
function byPlatform(text: string): object | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const { protocol, hostname, port, pathname } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  const host = normalHost(hostname);
  return host === null
    ? null
    : { scheme: protocol, host, port: port || (protocol === 'https:' ? '443' : '80'), pathname, text };
}

/** Without whether it was read as it stands. */
function read(text: string): object | null {
  const url = readUrl(text);
  if (url === null) return null;
  const { scheme, host, port, pathname } = url;
  return { scheme, host, port, pathname, text: url.text };
}

const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9-]{1,8}$/),
  fc.constantFrom('xn--', 'xn--a', 'xn--bcher-kva', '0x7f', '127', '1', '', '-', 'A', 'ü', 'a'.repeat(64), '%61'),
);
const host = fc
  .tuple(fc.array(label, { maxLength: 4 }), fc.constantFrom('com', 'example', 'x', '1', '0x1', 'c0m', 'xn--p1ai', ''))
  .map(([labels, last]) => [...labels, last].join('.'));
const segment = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_~.-]{0,6}$/),
  fc.constantFrom('.', '..', '...', '.%2e', '%2e', '', ';', '\\', '\t', ' ', '..a', 'a..', '@', ':8'),
);
const url = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'HTTPS://', 'ftp://', 'https:/', 'https:///', ' https://'),
    host,
    fc.constantFrom('', '', '', ':443', ':80', ':', ':8080', '@h.com'),
    fc.array(segment, { maxLength: 4 }).map((segments) => segments.map((one) => `/${one}`).join('')),
    fc.constantFrom('', '', '?', '?a=b&c=d', '?a=/../b', '#f', '\n', ' ', '?%'),
  )
  .map((parts) => parts.join(''));

describe('readUrl', () => {
  it('gives what the URL standard gives, whichever way it reads', () => {
    fc.assert(
      fc.property(url, (text) => {
        expect(read(text)).toEqual(byPlatform(text));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    ['https://api.example.com/v1/users/42', 'api.example.com', '/v1/users/42'],
    ['https://api.example.com', 'api.example.com', '/'],
    ['https://api.example.com/a/../b', 'api.example.com', '/b'],
    ['https://api.example.com/.hidden', 'api.example.com', '/.hidden'],
    ['https://127.0.0.1/', '127.0.0.1', '/'],
    ['https://127.1/', '127.0.0.1', '/'],
    ['https://a.0x7f/', undefined, undefined],
  ])('%s', (text, expected, pathname) => {
    expect(readUrl(text)?.host).toBe(expected);
    expect(readUrl(text)?.pathname).toBe(pathname);
  });

  it('takes a host at most as long as a name may be', () => {
    for (const labels of [30, 49, 50, 51, 52, 62, 63, 64]) {
      const text = `https://${'abc.'.repeat(labels)}com/`;
      expect(read(text)).toEqual(byPlatform(text));
    }
  });
});
