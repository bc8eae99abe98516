import fc from 'fast-check';
import { readApiKeyHeaders } from '@countersign/http-edge';
import { readCheckHeaders } from './check-headers.js';

describe('readCheckHeaders', () => {
  it('reads the key as every other route does', () => {
    const name = fc.constantFrom(
      'x-service-key',
      'X-Service-Key',
      'Authorization',
      'authorization',
      'accept',
      'X-Service-Kez',
    );
    const value = fc.constantFrom('k1', 'Bearer k2', 'bearer k3', 'Bearer  k4', 'Basic x', 'Bearer', 'Bearer a b', '');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (pairs) => {
        const raw = pairs.flat();
        expect(readCheckHeaders(raw).apiKey).toBe(readApiKeyHeaders(raw));
      }),
    );
  });

  it.each([
    [['content-type', 'application/json'], null],
    [['Content-Type', 'application/json; charset=utf-8'], null],
    [['Content-Type', 'Application/JSON;charset="UTF-8"'], null],
    [[], null],
    [['content-type', 'text/plain'], 'send the body as application/json in UTF-8'],
    [['content-type', 'application/json; charset=latin1'], 'send the body as application/json in UTF-8'],
    [['content-type', 'application/jsonx'], 'send the body as application/json in UTF-8'],
    [['content-type', 'application/json', 'content-type', 'text/plain'], 'send the body as application/json in UTF-8'],
    [['content-encoding', 'gzip'], 'send the body without Content-Encoding'],
  ])('judges the media of %j', (raw, problem) => {
    expect(readCheckHeaders(raw).mediaProblem).toBe(problem);
  });

  it('reads the other relevant headers', () => {
    const raw = ['Host', 'x', 'Content-Length', '12', 'Idempotency-Key', 'k'];
    expect(readCheckHeaders(raw)).toMatchObject({ host: true, contentLength: 12, idempotencyKey: 'k' });
    expect(readCheckHeaders([...raw, 'idempotency-key', 'k']).idempotencyKey).toBe('');
    expect(readCheckHeaders([])).toMatchObject({ host: false, contentLength: -1, idempotencyKey: null });
  });
});
