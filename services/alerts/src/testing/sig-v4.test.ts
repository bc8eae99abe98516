import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { canonicalRequest, signatureOf, type SignedRequest } from './sig-v4.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Name, request line, headers besides the common ones, body, names of signed headers, and signature, as published. */
type Example = readonly [
  name: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  names: string,
  signature: string,
];

/**
 * The examples of "Signature Calculations for the Authorization Header" in the API reference of Amazon S3:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
const S3_EXAMPLES: readonly Example[] = [
  [
    'GET Object',
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    '',
    'host;range;x-amz-content-sha256;x-amz-date',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT Object',
    'PUT',
    '/test$file.text',
    { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    'Welcome to Amazon S3.',
    'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'GET Bucket Lifecycle',
    'GET',
    '/?lifecycle',
    {},
    '',
    'host;x-amz-content-sha256;x-amz-date',
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET Bucket (List Objects)',
    'GET',
    '/?prefix=J&max-keys=2',
    {},
    '',
    'host;x-amz-content-sha256;x-amz-date',
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
];

/**
 * Of the Signature Version 4 test suite of AWS
 * (https://docs.aws.amazon.com/general/latest/gr/samples/aws-sig-v4-test-suite.zip), as it is in the repository of aws4fetch,
 * `test/aws-sig-v4-test-suite`: `.req` and `.authz` of each.
 */
const SUITE: readonly Example[] = [
  [
    'get-vanilla',
    'GET',
    '/',
    {},
    '',
    'host;x-amz-date',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    {},
    '',
    'host;x-amz-date',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-query-order-value',
    'GET',
    '/?Param1=value2&Param1=value1',
    {},
    '',
    'host;x-amz-date',
    '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
  ],
  [
    'get-vanilla-utf8-query',
    'GET',
    '/?ሴ=bar',
    {},
    '',
    'host;x-amz-date',
    '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  ],
  [
    'get-unreserved',
    'GET',
    '/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    {},
    '',
    'host;x-amz-date',
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  [
    'get-utf8',
    'GET',
    '/ሴ',
    {},
    '',
    'host;x-amz-date',
    '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85',
  ],
  [
    'get-header-value-trim',
    'GET',
    '/',
    { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' },
    '',
    'host;my-header1;my-header2;x-amz-date',
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
  [
    'get-header-key-duplicate',
    'GET',
    '/',
    { 'my-header1': 'value2,value2,value1' },
    '',
    'host;my-header1;x-amz-date',
    'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  ],
  [
    'post-vanilla',
    'POST',
    '/',
    {},
    '',
    'host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'post-header-key-sort',
    'POST',
    '/',
    { 'my-header1': 'value1' },
    '',
    'host;my-header1;x-amz-date',
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
  [
    'post-x-www-form-urlencoded',
    'POST',
    '/',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'Param1=value1',
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
];

interface Signing {
  readonly secretAccessKey: string;
  readonly credential: string;
  readonly host: string;
  readonly time: string;
}

const S3: Signing = {
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  credential: 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
  host: 'examplebucket.s3.amazonaws.com',
  time: '20130524T000000Z',
};
const OF_SUITE: Signing = {
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  credential: 'AKIDEXAMPLE/20150830/us-east-1/service/aws4_request',
  host: 'example.amazonaws.com',
  time: '20150830T123600Z',
};

function requestOf([, method, path, headers, body, names, signature]: Example, by: Signing): SignedRequest {
  const bodySha256 = sha256(body);
  const all = {
    host: by.host,
    'x-amz-date': by.time,
    ...(by === S3 ? { 'x-amz-content-sha256': bodySha256 } : {}),
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${by.credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
  return { method, path, headers: all, bodySha256 };
}

describe('the signature of a request, by the tests', () => {
  it.each([
    ...S3_EXAMPLES.map((example) => [example[0], example, S3] as const),
    ...SUITE.map((example) => [example[0], example, OF_SUITE] as const),
  ])('is the published one: %s', (_name, example, by) => {
    const request = requestOf(example, by);
    const { signature, sent } = signatureOf(request, by.secretAccessKey)!;
    expect(signature).toBe(sent['signature']);
    expect(signatureOf(request, `${by.secretAccessKey}x`)!.signature).not.toBe(sent['signature']);
  });

  it('is made of the published canonical request', () => {
    // `get-vanilla-query-order-key-case.creq` of the suite.
    expect(canonicalRequest(requestOf(SUITE[1]!, OF_SUITE), 'host;x-amz-date')).toBe(
      [
        'GET',
        '/',
        'Param1=value1&Param2=value2',
        'host:example.amazonaws.com',
        'x-amz-date:20150830T123600Z',
        '',
        'host;x-amz-date',
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ].join('\n'),
    );
    // "PUT Object" of the API reference of Amazon S3: `$` is sent as it is, and signed with its escape.
    expect(canonicalRequest(requestOf(S3_EXAMPLES[1]!, S3), S3_EXAMPLES[1]![5])).toMatch(
      /^PUT\n\/test%24file\.text\n\n/,
    );
  });
});

describe('the signature of a request, by aws4fetch', () => {
  // It leaves `range` and `content-type` out of what it signs, which these examples sign.
  const known = S3_EXAMPLES.filter(([, , , headers]) => !('range' in headers));
  it.each(known.map((example) => [example[0], example] as const))(
    'is the published one: %s',
    async (_name, example) => {
      const [, method, path, headers, body, names, signature] = example;
      const signer = new AwsV4Signer({
        method,
        url: `https://${S3.host}${path}`,
        headers: { ...headers, 'x-amz-content-sha256': sha256(body) },
        accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
        secretAccessKey: S3.secretAccessKey,
        region: 'us-east-1',
        service: 's3',
        datetime: S3.time,
      });
      expect((await signer.sign()).headers.get('authorization')).toBe(
        `AWS4-HMAC-SHA256 Credential=${S3.credential}, SignedHeaders=${names}, Signature=${signature}`,
      );
    },
  );
});
