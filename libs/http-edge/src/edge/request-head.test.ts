import fc from 'fast-check';
import { headProblem } from './request-head.js';

const status = (headers: readonly string[], minor = 1): number | null => headProblem(minor, headers)?.status ?? null;

describe('the head of a request', () => {
  it.each<readonly [string, readonly string[], number | null]>([
    ['one host', ['Host', 'example.com'], null],
    ['a host with a port', ['host', 'example.com:8080'], null],
    ['a host with an empty port', ['host', 'example.com:'], null],
    ['an IPv6 address', ['HOST', '[::1]:8080'], null],
    ['an escaped host', ['Host', 'a%2Fb'], null],
    ['an empty host, of a target without an authority', ['Host', ''], null],
    ['no host', ['Accept', '*/*'], 400],
    ['two hosts', ['Host', 'a', 'Accept', '*/*', 'hOsT', 'a'], 400],
    ['two hosts in one', ['Host', 'a, b'], 400],
    ['a host that is a URL', ['Host', 'http://a/'], 400],
    ['a host with a user', ['Host', 'u@a'], 400],
    ['a port that is none', ['Host', 'a:b'], 400],
    ['a broken escape', ['Host', 'a%2'], 400],
  ])('with %s', (_what, headers, expected) => {
    expect(status(headers)).toBe(expected);
  });

  it.each<readonly [string, readonly string[], number | null]>([
    ['chunked', ['chunked'], null],
    ['chunked in upper case, with empty members', [' , CHUNKED ,'], null],
    ['gzip before chunked', ['gzip, chunked'], 501],
    ['the same in two lines', ['gzip', 'chunked'], 501],
    ['identity', ['identity'], 501],
    ['chunked with a parameter', ['chunked;q=1'], 501],
    ['chunked twice', ['chunked, chunked'], 400],
    ['chunked in two lines', ['chunked', 'chunked'], 400],
    ['nothing', [''], 400],
  ])('with the transfer coding %s', (_what, values, expected) => {
    const headers = ['Host', 'a', ...values.flatMap((value) => ['Transfer-Encoding', value])];
    expect(status(headers)).toBe(expected);
  });

  it('of HTTP/1.0 needs no host and may name no transfer coding', () => {
    expect([status([], 0), status(['Host', 'a', 'Host', 'b'], 0)]).toEqual([null, 400]);
    expect([status(['Transfer-Encoding', 'chunked'], 0), status(['Transfer-Encoding', 'gzip'], 0)]).toEqual([400, 400]);
  });

  it('takes every host that a URL has', () => {
    fc.assert(
      fc.property(fc.webAuthority({ withPort: true, withIPv4: true, withIPv6: true }), (host) => {
        expect(status(['Host', host])).toBeNull();
      }),
    );
  });
});
