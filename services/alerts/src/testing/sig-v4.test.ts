import { createHash } from 'node:crypto';
import { signatureOf, type SignedRequest } from './sig-v4.js';

/** The examples of "Signature Calculations for the Authorization Header" in the documentation of Amazon S3. */
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const HEAD = 'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=';
const EMPTY = createHash('sha256').digest('hex');
const COMMON = { host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': '20130524T000000Z' };

function request(
  method: string,
  path: string,
  names: string,
  signature: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): SignedRequest {
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const all = { ...COMMON, 'x-amz-content-sha256': bodySha256, ...headers };
  return { method, path, headers: { ...all, authorization: `${HEAD}${names},Signature=${signature}` }, bodySha256 };
}

it.each<[string, SignedRequest]>([
  [
    'GET Object',
    request(
      'GET',
      '/test.txt',
      'host;range;x-amz-content-sha256;x-amz-date',
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      { range: 'bytes=0-9' },
    ),
  ],
  [
    'PUT Object',
    request(
      'PUT',
      '/test%24file.text',
      'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      'Welcome to Amazon S3.',
    ),
  ],
  [
    'GET Bucket Lifecycle',
    request(
      'GET',
      '/?lifecycle=',
      'host;x-amz-content-sha256;x-amz-date',
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
      { 'x-amz-content-sha256': EMPTY },
    ),
  ],
  [
    'GET Bucket (List Objects)',
    request(
      'GET',
      '/?max-keys=2&prefix=J',
      'host;x-amz-content-sha256;x-amz-date',
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
      {},
    ),
  ],
])('is computed as the documentation of Amazon S3 does: %s', (_name, example) => {
  const { signature, sent } = signatureOf(example, SECRET)!;
  expect(signature).toBe(sent['signature']);
  expect(signatureOf(example, `${SECRET}x`)!.signature).not.toBe(sent['signature']);
});
