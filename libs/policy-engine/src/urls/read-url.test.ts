import fc from 'fast-check';
import { normalHost } from './normal-host.js';
import { readUrl } from './read-url.js';

/** The same by the platform's parser alone. */
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
    : { scheme: protocol, host, port: port || (protocol === 'https:' ? '443' : '80'), pathname, text: text.trim() };
}

/** Without `plain`; `null` for what clients read differently. */
function read(text: string): object | null {
  const url = readUrl(text);
  if (typeof url === 'string') return null;
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
  it('gives the result of the URL standard, on either path, or refuses', () => {
    let given = 0;
    fc.assert(
      fc.property(url, (text) => {
        const received = read(text);
        if (received === null) return;
        given += 1;
        expect(received).toEqual(byPlatform(text));
      }),
      { numRuns: 20_000 },
    );
    expect(given).toBeGreaterThan(2_000);
  });

  it.each([
    'https://api.example.com:8443/v1?a=b#c',
    'HTTPS://API.example.com./a b',
    'https://user:p%40ss@api.example.com/',
    'http://127.0.0.1/',
    'http://[::1]:8080/',
    'http://localhost:3000/x;y=z',
    'https://my_host.example:/',
    'https://bücher.example/é',
    'https://xn--bcher-kva.example/',
    'https://例え.テスト/?q=\\#\\',
    ' https://api.example.com/ \n',
  ])('takes %j as the URL standard does', (text) => {
    expect(read(text)).toEqual(byPlatform(text));
  });

  it.each([
    ['https://good.example\\@evil.example/', 'backslash'],
    ['https://good.example/x\\..\\y', 'backslash'],
    ['https:\\\\good.example/', 'backslash'],
    ['https:good.example', 'slashes'],
    ['https:///good.example', 'names no host'],
    ['https://good.exa\tmple/', 'control character'],
    ['https://good.example/\u0000x', 'control character'],
    ['https://a@good.example@evil.example/', 'more than one @'],
    ['https://[a]@evil.example/', 'user information'],
    ['https://good%2eexample/', 'encoded'],
    ['https://ｇood.example/', 'xn--'],
    ['https://good。example/', 'xn--'],
    ['https://good․example/', 'xn--'],
    ['https://BÜCHER.example/', 'xn--'],
    ['https://STRAẞE.example/', 'xn--'],
    ['https://go\u200dod.example/', 'xn--'],
    ['http://2130706433/', 'IP address'],
    ['http://0177.0.0.1/', 'IP address'],
    ['http://127.0.0.01/', 'IP address'],
    ['http://127.1/', 'IP address'],
    ['http://127.0.0.1./', 'IP address'],
    ['http://١٢٧.0.0.1/', 'xn--'],
    ['http://good.example:80:80/', 'does not parse'],
    ['http://good.example:99999/', 'does not parse'],
    ['http://{good,evil}.example/', 'xn--'],
    ['ftp://good.example/', 'http or https'],
    ['//good.example/', 'http or https'],
  ])('refuses %j: it %s', (text, why) => {
    expect(readUrl(text)).toContain(why);
  });

  it('knows both hosts that IDNA makes of one name', () => {
    expect(readUrl('https://straße.example/')).toMatchObject({
      host: 'xn--strae-oqa.example',
      otherHost: 'strasse.example',
    });
    expect(readUrl('https://boss.example/')).toMatchObject({ otherHost: null });
  });

  it.each([
    ['https://api.example.com/v1/users/42', 'api.example.com', '/v1/users/42'],
    ['https://api.example.com', 'api.example.com', '/'],
    ['https://api.example.com/a/../b', 'api.example.com', '/b'],
    ['https://api.example.com/.hidden', 'api.example.com', '/.hidden'],
    ['https://127.0.0.1/', '127.0.0.1', '/'],
    ['https://a.0x7f/', undefined, undefined],
  ])('%s', (text, expected, pathname) => {
    expect(read(text) ?? {}).toEqual(
      expected === undefined ? {} : expect.objectContaining({ host: expected, pathname }),
    );
  });

  it('accepts a host of at most the length of a name', () => {
    for (const labels of [30, 49, 50, 51, 52, 62, 63, 64]) {
      const text = `https://${'abc.'.repeat(labels)}com/`;
      expect(read(text)).toEqual(byPlatform(text));
    }
  });
});
