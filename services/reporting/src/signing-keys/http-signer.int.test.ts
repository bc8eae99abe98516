import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyId as keyIdOf } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { HttpSigner } from './http-signer.js';
import { SignerProcess } from './signer-process.test-kit.js';
import { checked, SignerRefused, SignerUnavailable, type Signer } from './signer.js';

const TOKEN = 'a-token-that-is-not-printed';
const MESSAGE = new TextEncoder().encode('a report');

describe('the external signer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'http-signer-'));
  const tokenFile = join(folder, 'token');
  let process: SignerProcess;
  beforeAll(async () => {
    writeFileSync(tokenFile, `${TOKEN}\n`);
    process = await SignerProcess.start(TOKEN);
  });
  afterAll(async () => {
    await process.end();
    rmSync(folder, { recursive: true });
  });
  const custody = (more: { url?: string; tokenFile?: string } = {}, sign = 10_000): HttpSigner =>
    new HttpSigner({ url: process.url, tokenFile, ...more }, nodeCrypto, { answer: 10_000, sign });
  const signerOf = async (kept: HttpSigner): Promise<Signer> =>
    checked(await kept.signer(keyIdOf(await kept.create(), nodeCrypto.sha256)), nodeCrypto);
  const failure = (promise: Promise<unknown>): Promise<Error & { cause?: unknown }> =>
    promise.then(
      () => Promise.reject(new Error('it did not fail')),
      (error: Error) => error,
    );

  it('creates a key and signs with it, also a message of megabytes', async () => {
    const { publicKey, sign } = await signerOf(custody());
    expect(nodeCrypto.ed25519Verify(publicKey, MESSAGE, await sign(MESSAGE))).toBe(true);
    const long = new Uint8Array(4 * 1024 * 1024).fill(7);
    expect(nodeCrypto.ed25519Verify(publicKey, long, await sign(long))).toBe(true);
  });

  it('refuses a signature that is not by the key over the message', async () => {
    const { sign } = await signerOf(custody());
    await process.behave('wrong');
    const error = await failure(sign(MESSAGE));
    await process.behave('well');
    expect(error).toBeInstanceOf(SignerUnavailable);
    expect(error).toMatchObject({ status: 503, cause: expect.stringMatching(/^a wrong signature came for key_/) });
  });

  it.each([
    ['broken', 'answered 500'],
    ['slow', 'timeout'],
  ] as const)('is temporarily unavailable while it is %s', async (how, why) => {
    const { sign } = await signerOf(custody({}, how === 'slow' ? 200 : 10_000));
    await process.behave(how);
    const error = await failure(sign(MESSAGE));
    await process.behave('well');
    expect(error).toBeInstanceOf(SignerUnavailable);
    expect(error).toMatchObject({ status: 503, cause: expect.stringContaining(why) });
  });

  it('is refused if it does not behave like a signer', async () => {
    const { sign } = await signerOf(custody());
    await process.behave('foreign');
    const error = await failure(sign(MESSAGE));
    await process.behave('well');
    expect(error).toBeInstanceOf(SignerRefused);
    expect(error.message).toContain('something else than JSON');
  });

  it('reports a missing key and a wrong token, without the token', async () => {
    const unknown = await failure(custody().signer('key_0123456789abcdef'));
    expect(unknown).toBeInstanceOf(SignerRefused);
    expect(unknown.message).toContain('GET /keys/key_0123456789abcdef with 404');
    const other = join(folder, 'other');
    writeFileSync(other, 'another-token-that-is-not-printed');
    const refused = await failure(custody({ tokenFile: other }).create());
    expect(refused.message).toContain('POST /keys with 401');
    expect(refused.message).not.toContain('is-not-printed');
    const absent = await failure(custody({ tokenFile: join(folder, 'absent') }).create());
    expect(`${absent.message} ${String(absent.cause)}`).toContain('COUNTERSIGN_SIGNER_TOKEN_FILE');
  });

  it('is unavailable while it is down', async () => {
    const gone = await SignerProcess.start(TOKEN);
    const { sign } = await signerOf(custody({ url: gone.url }));
    await gone.end();
    const error = await failure(sign(MESSAGE));
    expect(error).toMatchObject({ status: 503, cause: expect.stringContaining('ECONNREFUSED') });
    expect(String(error.cause)).not.toContain(TOKEN);
  });
});
