import { isAddress, writtenAddress } from './written-address.js';

const HTTPS = 'https://evil.example/x';

describe('an address in a text', () => {
  it.each([
    HTTPS,
    ` ${HTTPS}`,
    `\u00a0${HTTPS}`,
    `\u2003\u3000\ufeff\u200b\u0085${HTTPS}`,
    `<${HTTPS}>`,
    ` < ${HTTPS}\u00a0> `,
    `URL:${HTTPS}`,
    `url: ${HTTPS}`,
    `<URL:${HTTPS}>`,
    `\u00a0<\u2009URL:\u00a0<${HTTPS}> >`,
    `U\nR\tL:${HTTPS}`,
  ])('is found and unwrapped: %j', (text) => {
    expect(writtenAddress(text)).toBe(HTTPS);
    expect(isAddress(text)).toBe(true);
  });

  it.each([' \0Ht\ntpS:\tevil.example', 'http:evil.example', 'http:\\\\evil.example', 'WSS://evil.example', 'ftp:x'])(
    'is found in an odd form: %j',
    (text) => expect(writtenAddress(text)).not.toBeNull(),
  );

  it.each([
    '',
    ' ',
    'http',
    'http: the protocol',
    'https:',
    'URL:',
    'url of it',
    '<b>',
    'httpſ://evil.example',
    'see https://x',
  ])('is not found in %j', (text) => expect(writtenAddress(text)).toBeNull());

  it.each(['gopher://x', 'x-own:\\\\x', '//evil.example/x', '<//evil.example>', '\u00a0s3://bucket/x', 'x\n:/\n/y'])(
    'of any scheme is found where it has an authority: %j',
    (text) => {
      expect(isAddress(text)).toBe(true);
      expect(writtenAddress(text)).toBeNull();
    },
  );

  it.each(['user:alice', 'urn:isbn:1', 'orders', 'c:/x', '/x', '/', '// a comment', '///'])('is not %j', (text) =>
    expect(isAddress(text)).toBe(false),
  );

  it.each([' ', '<', 'URL:', 'U\n', '\u00a0', '> '])('takes time linear in the text: %j', (piece) => {
    const begun = performance.now();
    expect(writtenAddress(`<${piece.repeat(200_000)}`)).toBeNull();
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
