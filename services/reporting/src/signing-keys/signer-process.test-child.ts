import { createHash, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

/**
 * A small external signer, see README.md: keys in memory, the bearer token in its environment. A path
 * `/behave/<how>` changes its answers to signature requests: `well`, `wrong` (of another message), `slow` (never), `broken` (500),
 * `foreign` (not JSON).
 */
const keys = new Map<string, KeyObject>();
const token = process.env['SIGNER_TOKEN'] ?? '';
let behaviour = 'well';

function rawPublicKey(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url');
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function answer(request: IncomingMessage): Promise<readonly [number, unknown] | null> {
  const path = request.url ?? '';
  const message = await bodyOf(request);
  if (path.startsWith('/behave/')) {
    behaviour = path.slice('/behave/'.length);
    return [200, {}];
  }
  if (request.headers.authorization !== `Bearer ${token}`) return [401, {}];
  if (request.method === 'POST' && path === '/keys') {
    const { privateKey } = generateKeyPairSync('ed25519');
    const publicKey = rawPublicKey(privateKey);
    keys.set(`key_${createHash('sha256').update(publicKey).digest('hex').slice(0, 16)}`, privateKey);
    return [201, { publicKey: publicKey.toString('base64') }];
  }
  const [, id = '', isSignature] = /^\/keys\/([^/]+)(\/signature)?$/.exec(path) ?? [];
  const key = keys.get(id);
  if (key === undefined) return [404, {}];
  if (isSignature === undefined) return [200, { publicKey: rawPublicKey(key).toString('base64') }];
  if (behaviour === 'slow') return null;
  if (behaviour === 'broken') return [500, {}];
  const signed = behaviour === 'wrong' ? Buffer.from('another message') : message;
  return [200, behaviour === 'foreign' ? undefined : { signature: sign(null, signed, key).toString('base64') }];
}

const server = createServer((request, response) => {
  void answer(request).then((answered) => {
    if (answered === null) return;
    response.writeHead(answered[0], { 'content-type': 'application/json' });
    response.end(JSON.stringify(answered[1]) ?? 'signed');
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
