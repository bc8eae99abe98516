import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { readSignature, signatureBase } from './read-signature.js';
import type { SignedRequest } from './read-signature.js';
import { RFC_KEY, signed } from './sign.test-setup.js';
import type { Signing } from './sign.test-setup.js';
import { readByteDictionary, readSignatureInput } from './structured.js';

const BODY = '{"agentId":"a"}';
const raw = (headers: Readonly<Record<string, string>>): string[] => Object.entries(headers).flat();
const request = (of: Partial<Signing> = {}, changes: Partial<SignedRequest> = {}): SignedRequest => ({
  method: 'POST',
  url: '/v1/check',
  rawHeaders: raw(signed({ key: RFC_KEY, keyId: 'k', body: BODY, ...of })),
  body: Buffer.from(BODY),
  ...changes,
});
const COVERED = ['@method', '@path', 'content-digest'];
const digestOf = (token: string): string => `sha-256=:${createHash('sha256').update(token).digest('base64')}:`;
const problemOf = (sent: SignedRequest): string | null => {
  const read = readSignature(sent);
  return 'problem' in read ? read.problem : null;
};
const withHeader = (name: string, value: string): SignedRequest =>
  request({}, { rawHeaders: raw({ ...signed({ key: RFC_KEY, keyId: 'k', body: BODY }), [name]: value }) });

describe('RFC 9421, appendix B.2.6', () => {
  const input =
    'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
  const values: Readonly<Record<string, string>> = {
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    '@method': 'POST',
    '@path': '/foo',
    '@authority': 'example.com',
    'content-type': 'application/json',
    'content-length': '18',
  };
  const signature = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';

  it('has the signature base of the RFC, which its signature verifies', () => {
    const base = signatureBase(readSignatureInput(input)!, (name) => values[name]);
    expect(base).toBe(
      `${Object.entries(values)
        .map(([name, value]) => `"${name}": ${value}`)
        .join('\n')}\n"@signature-params": ${input.slice('sig-b26='.length)}`,
    );
    const bytes = readByteDictionary(`sig-b26=:${signature}:`)!.get('sig-b26')!;
    expect(verify(null, Buffer.from(base as string), createPublicKey(RFC_KEY), bytes)).toBe(true);
  });

  it('is refused by the profile, which needs a nonce and the digest', () => {
    const headers = { host: 'example.com', 'signature-input': input, signature: `sig-b26=:${signature}:` };
    const sent = { method: 'POST', url: '/foo?param=Value', rawHeaders: raw(headers), body: Buffer.from('') };
    expect(problemOf(sent)).toContain('nonce');
  });
});

describe('the signature of the clients', () => {
  it('is read, and verifies', () => {
    const file = new URL('../../../../libs/client-js/signed-check.json', import.meta.url);
    const vector = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly headers: Readonly<Record<string, string>>;
      readonly signed: Readonly<Record<string, string>>;
      readonly body: string;
    };
    const sent = { ...vector.headers, ...vector.signed };
    const read = readSignature(request({}, { rawHeaders: raw(sent), body: Buffer.from(vector.body) }));
    if ('problem' in read) throw new Error(read.problem);
    expect(verify(null, Buffer.from(read.base), createPublicKey(RFC_KEY), read.signature)).toBe(true);
  });
});

describe('a signature of the profile', () => {
  it('is read, with the base that was signed', () => {
    const headers = { 'Idempotency-Key': 'i', 'X-Countersign-Session': 's' };
    const lower = { 'idempotency-key': 'i', 'x-countersign-session': 's' };
    const sent = raw(signed({ key: RFC_KEY, keyId: 'k', headers: lower, body: BODY, created: 7, nonce: 'n' })).map(
      (text) => (text === 'idempotency-key' ? 'Idempotency-Key' : text),
    );
    const read = readSignature(request({}, { rawHeaders: sent }));
    if ('problem' in read) throw new Error(read.problem);
    expect(read).toMatchObject({ keyId: 'k', created: 7, nonce: 'n', expires: null });
    expect(verify(null, Buffer.from(read.base), createPublicKey(RFC_KEY), read.signature)).toBe(true);
    expect(Object.keys(headers)).toHaveLength(2);
  });

  it('takes spaces that a serializer may leave, other components, and sha-512', () => {
    const digest = `sha-512=:${createHash('sha512').update(BODY).digest('base64')}:`;
    const headers = signed({ key: RFC_KEY, keyId: 'k', body: BODY });
    const input = headers['signature-input']!.replace('("@method" "@path"', '( "@method"  "@path"').replace(
      ';nonce',
      ';  nonce',
    );
    expect(problemOf(request({}, { rawHeaders: raw({ ...headers, 'signature-input': ` ${input} ` }) }))).toBeNull();
    expect(problemOf(withHeader('content-digest', digest))).toBeNull();
    const covered = ['@method', '@path', '@authority', 'content-digest', 'content-type'];
    const typed = signed({
      ...{ key: RFC_KEY, keyId: 'k', body: BODY, components: covered },
      headers: { 'content-type': 'application/json' },
    });
    expect(problemOf(request({}, { rawHeaders: raw({ ...typed, host: 'a.example' }) }))).toBeNull();
    expect(problemOf(request({}, { rawHeaders: raw(typed), url: 'http://a.example/v1/check' }))).toBeNull();
  });

  it('binds a token by its digest, and does not hold it', () => {
    const headers = { 'x-subject-token': 'secret', 'x-subject-token-digest': digestOf('secret') };
    const read = readSignature(request({ headers }));
    if ('problem' in read) throw new Error(read.problem);
    expect(read.base).toContain(`"x-subject-token-digest": ${digestOf('secret')}`);
    expect(read.base).not.toContain(': secret');
  });

  it.each([
    ['no input', withHeader('signature-input', ''), 'Signature-Input is malformed'],
    [
      'two signatures',
      withHeader('signature-input', 'a=("x");created=1, b=("x");created=1'),
      'Signature-Input is malformed',
    ],
    ['a component twice', request({ components: ['@method', '@path', '@path'] }), 'Signature-Input is malformed'],
    [
      'a component with a parameter',
      withHeader('signature-input', 'sig1=("@path";req);created=1'),
      'Signature-Input is malformed',
    ],
    ['a parameter twice', request({ more: ';keyid="k"' }), 'Signature-Input is malformed'],
    [
      'another label',
      withHeader('signature', `sig2=:${Buffer.alloc(64).toString('base64')}:`),
      'Signature is malformed',
    ],
    ['a short signature', withHeader('signature', 'sig1=:AAAA:'), 'Signature is malformed'],
    ['no base64', withHeader('signature', 'sig1=:-_:'), 'Signature is malformed'],
    ['an unknown parameter', request({ more: ';x=1' }), 'parameter x'],
    ['another algorithm', request({ more: ';alg="rsa-v1_5-sha256"' }), 'alg'],
    ['an expiry that is a text', request({ more: ';expires="1"' }), 'expires'],
    ['an empty nonce', request({ nonce: '' }), 'nonce'],
    ['a long nonce', request({ nonce: 'n'.repeat(129) }), 'nonce'],
    ['the path not covered', request({ components: ['@method', 'content-digest'] }), 'does not cover @path'],
    ['the method not covered', request({ components: ['@path', 'content-digest'] }), 'does not cover @method'],
    ['the digest not covered', request({ components: ['@method', '@path'] }), 'does not cover content-digest'],
    ['the query not covered', request({}, { url: '/v1/check?a' }), 'does not cover @query'],
    ['another body', request({}, { body: Buffer.from('{}') }), 'is not that of the body'],
    ['a digest of another kind', withHeader('content-digest', 'md5=:AAAA:'), 'Content-Digest is malformed'],
    ['a short digest', withHeader('content-digest', 'sha-256=:AAAA:'), 'is not that of the body'],
    ['a component that is not there', request({ components: ['@method', '@path', 'content-digest', 'x-a'] }), 'x-a'],
    [
      'a credential',
      request({ components: [...COVERED, 'x-service-key'], headers: { 'x-service-key': 'k' } }),
      'the signed text is recorded',
    ],
    [
      'a token itself',
      request({ components: [...COVERED, 'x-subject-token'], headers: { 'x-subject-token': 't' } }),
      'X-Subject-Token-Digest',
    ],
    ['a token without its digest', request({ headers: { 'x-subject-token': 't' } }), 'X-Subject-Token-Digest'],
    [
      'the digest of another token',
      request({ headers: { 'x-subject-token': 't', 'x-subject-token-digest': digestOf('u') } }),
      'is not sha-256=:…: of X-Subject-Token',
    ],
    [
      'a digest without a token',
      request({ headers: { 'x-subject-token-digest': digestOf('u') } }),
      'is not sha-256=:…: of X-Subject-Token',
    ],
    [
      'the digest of a token not covered',
      request({ components: COVERED, headers: { 'x-subject-token': 't', 'x-subject-token-digest': digestOf('t') } }),
      'does not cover x-subject-token-digest',
    ],
    ['the target', request({ components: ['@method', '@path', 'content-digest', '@target-uri'] }), '@target-uri'],
  ])('is refused with its reason: %s', (_what, sent, reason) => {
    expect(problemOf(sent)).toContain(reason);
  });

  it.each([
    'idempotency-key',
    'x-approval-id',
    'x-subject-token-digest',
    'x-countersign-agent',
    'x-countersign-principal',
    'x-countersign-session',
  ])('is refused where %s is added or not covered', (name) => {
    expect(problemOf(withHeader(name, 'v'))).toBe(`the signature does not cover ${name}`);
  });

  it('has another base where a header is changed or sent twice', () => {
    const headers = signed({ key: RFC_KEY, keyId: 'k', body: BODY, headers: { 'idempotency-key': 'i' } });
    const twice = readSignature(request({}, { rawHeaders: [...raw(headers), 'idempotency-key', 'j'] }));
    if ('problem' in twice) throw new Error(twice.problem);
    expect(twice.base).toContain('"idempotency-key": i, j\n');
  });
});

describe('reading what anyone may send', () => {
  const pieces = fc.constantFrom(
    'sig1=',
    '(',
    ')',
    '"@path"',
    '"',
    '\\',
    ';',
    'created=1',
    'nonce="n"',
    ':',
    ',',
    ' ',
    '=',
    'é',
    '\u0000',
    'a',
    '*',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
  );

  it('never throws, and says what is wrong', () => {
    fc.assert(
      fc.property(text, text, text, fc.uint8Array({ maxLength: 16 }), (input, signature, digest, body) => {
        const headers = { 'signature-input': input, signature, 'content-digest': digest };
        const read = readSignature({ method: 'POST', url: '/v1/check', rawHeaders: raw(headers), body });
        expect('problem' in read && read.problem.length > 0).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('serializes what it has read in the same way', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const value = fc.oneof(
      fc.nat().map(String),
      fc
        .string()
        .filter((s) => /^[ !#-[\]-~]*$/.test(s))
        .map((s) => `"${s}"`),
    );
    const parameters = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 6 });
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), parameters, (components, params) => {
        const list = components.map((one) => `"${one}"`).join(' ');
        const serialized = `(${list})${params.map(([key, given]) => `;${key}=${given}`).join('')}`;
        expect(readSignatureInput(`l=${serialized}`)).toMatchObject({ components, text: serialized });
      }),
    );
  });

  it('takes time in proportion to the length', () => {
    const hard = [
      (n: number) => `sig1=(${' '.repeat(n)}`,
      (n: number) => `sig1=("@path");a="${'\\"'.repeat(n / 2)}`,
      (n: number) => `${'a'.repeat(n)}`,
      (n: number) => `sig1=()${';a'.repeat(n / 2)}`,
    ];
    for (const make of hard) {
      const begun = performance.now();
      for (let i = 0; i < 200; i += 1) expect(readSignatureInput(make(4000))).toBeNull();
      for (let i = 0; i < 200; i += 1) readByteDictionary(make(4000));
      // 400 readings of 4,000 characters each: a quadratic one takes seconds.
      expect(performance.now() - begun).toBeLessThan(2000);
    }
    expect(readSignatureInput(`sig1=()${' '.repeat(4096)}`)).toBeNull();
  });
});
