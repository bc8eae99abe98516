import type { IncomingHttpHeaders } from 'node:http';
import { cookieNameAt, isFromOwnPage, sessionCookies, setCookie } from './session-cookie.js';
import { readSession } from './session-credential.js';

const PUBLIC = 'https://console.example/base';
const COOKIE = '__Host-csn_session';

describe('the session cookie', () => {
  it.each([
    ['the name of plain http on this machine', 'csn_session=a', '127.0.0.1:8080', ['a']],
    ['a subdomain of localhost', 'x=1; csn_session=a', 'countersign.localhost:8080', ['a']],
    ['both names on this machine', `csn_session=a; ${COOKIE}=b`, '[::1]', ['a', 'b']],
    ['the name of plain http elsewhere', `csn_session=a; ${COOKIE}=b`, 'console.example', ['b']],
    ['a host that begins as this machine', 'csn_session=a', '127.0.0.1.example', []],
    ['a host that ends as this machine', 'csn_session=a', 'notlocalhost', []],
    ['other names', 'xcsn_session=a; csn_session2=b; CSN_SESSION=c', 'localhost', []],
    ['a value with equals signs', 'csn_session=a.b==', 'localhost', ['a.b==']],
  ])('is read by name and host: %s', (_case, cookie, host, values) => {
    expect(sessionCookies({ cookie, host })).toEqual(values);
  });

  it('is issued to this machine, and to the host of an https address', () => {
    expect(cookieNameAt({ host: 'console.example' }, PUBLIC)).toBe(COOKIE);
    expect(cookieNameAt({ host: 'console.example:443' }, PUBLIC)).toBe(COOKIE);
    // A proxy that passes its upstream's address as Host.
    expect(cookieNameAt({ host: '127.0.0.1:8080', origin: 'https://console.example' }, PUBLIC)).toBe(COOKIE);
    expect(cookieNameAt({ host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' }, PUBLIC)).toBe('csn_session');
    expect(cookieNameAt({ host: 'countersign.localhost:8080' }, null)).toBe('csn_session');
    for (const publicUrl of [null, PUBLIC, 'http://other.example', 'no address']) {
      expect(cookieNameAt({ host: 'other.example', origin: 'https://other.example' }, publicUrl)).toBeNull();
    }
  });

  it('is kept from scripts and other sites, and from plain http where the address is https', () => {
    expect(setCookie(COOKIE, 't', 60)).toBe(`${COOKIE}=t; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure`);
    expect(setCookie('csn_session', '', 0)).toBe('csn_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
  });
});

describe('a request of a page of this service', () => {
  const host = 'console.example';
  it.each<[string, IncomingHttpHeaders, boolean]>([
    ['the same origin', { host, 'sec-fetch-site': 'same-origin' }, true],
    ['another port of this machine', { host: '127.0.0.1:1', 'sec-fetch-site': 'same-site' }, false],
    ['another site', { host, 'sec-fetch-site': 'cross-site' }, false],
    ['an address that was typed', { host, 'sec-fetch-site': 'none' }, false],
    ['another site whose Origin is ours', { host, origin: `https://${host}`, 'sec-fetch-site': 'cross-site' }, false],
    ['an Origin with this host, without fetch metadata', { host, origin: `http://${host}` }, true],
    ['the Origin of the public address', { host: '127.0.0.1:8080', origin: 'https://console.example' }, true],
    ['another Origin', { host, origin: 'https://console.example.evil.example' }, false],
    ['no Origin at all', { host }, false],
    ['an opaque Origin', { host, origin: 'null' }, false],
  ])('is recognized by what the browser adds: %s', (_case, headers, own) => {
    expect(isFromOwnPage(headers, PUBLIC)).toBe(own);
  });
});

describe('the session of a request', () => {
  const own = { host: 'localhost', 'sec-fetch-site': 'same-origin', cookie: 'csn_session=t' };
  const read = (method: string, headers: IncomingHttpHeaders, more: readonly string[] = []) => {
    const rawHeaders = [...Object.entries(headers).flatMap(([name, value]) => [name, String(value)]), ...more];
    return readSession({ method, headers, rawHeaders }, null);
  };

  it('is that of the cookie where no Authorization is sent', () => {
    expect(read('GET', own)).toEqual({ token: 't' });
    expect(read('HEAD', own)).toEqual({ token: 't' });
    expect(read('GET', own, ['Authorization', 'Bearer b'])).toEqual({ token: 'b' });
    // An invalid Authorization does not fall back to the cookie.
    expect(read('GET', own, ['Authorization', 'Basic YTpi'])).toEqual({ token: null });
    expect(read('GET', own, ['authorization', 'Bearer a', 'authorization', 'Bearer b'])).toEqual({ token: null });
    expect(read('GET', { host: 'localhost' })).toEqual({ token: null });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('needs the header of the console for %s', (method) => {
    expect(read(method, own)).toEqual({ problem: expect.stringContaining('x-countersign-console: 1') as string });
    expect(read(method, { ...own, 'x-countersign-console': '1' })).toEqual({ token: 't' });
    expect(read(method, { ...own, 'x-countersign-console': '1', 'sec-fetch-site': 'same-site' })).toHaveProperty(
      'problem',
    );
  });

  it('is none for a page of another origin, and for a cookie that was sent twice', () => {
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect(read('GET', { ...own, 'sec-fetch-site': site })).toHaveProperty('problem');
    }
    expect(read('GET', { ...own, cookie: 'csn_session=t; csn_session=t' })).toEqual({
      problem: expect.stringContaining('sent twice') as string,
    });
  });
});
