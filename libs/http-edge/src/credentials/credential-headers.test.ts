import { readApiKeyHeaders, readSessionHeader } from './credential-headers.js';

describe('the API key of a request', () => {
  it.each([
    ['the service key', ['X-Service-Key', 'k'], 'k'],
    ['a bearer token', ['Authorization', 'Bearer k'], 'k'],
    ['a bearer token in another case', ['authorization', 'bearer  k'], 'k'],
    ['the service key alone where both are sent', ['Authorization', 'Bearer a', 'x-service-key', 'b'], 'b'],
    ['an empty service key, beside a bearer token', ['x-service-key', '', 'Authorization', 'Bearer a'], ''],
  ])('is read from %s', (_case, headers, key) => {
    expect(readApiKeyHeaders(headers)).toBe(key);
  });

  it.each([
    ['nothing', []],
    ['a service key sent twice', ['x-service-key', 'k', 'X-SERVICE-KEY', 'k']],
    ['two Authorization headers', ['Authorization', 'Bearer a', 'Authorization', 'Bearer a']],
    ['another scheme', ['Authorization', 'Basic YTpi']],
    ['a token with a space', ['Authorization', 'Bearer a b']],
    ['another header with that value', ['x-other', 'x-service-key']],
  ])('is none for %s', (_case, headers) => {
    expect(readApiKeyHeaders(headers)).toBeNull();
  });
});

describe('the session token of a request', () => {
  it('is never read from the service key', () => {
    expect(readSessionHeader(['x-service-key', 'k'])).toBeNull();
    expect(readSessionHeader(['x-service-key', 'k', 'Authorization', 'Bearer t'])).toBe('t');
  });
});
