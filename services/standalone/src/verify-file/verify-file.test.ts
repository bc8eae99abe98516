import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from '../commands/verify.js';
import { verifyFile, type VerifyReport } from './verify-file.js';

const VECTORS = new URL('../../../../libs/evidence/vectors/', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'countersign-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A member of a test vector as a file, verified with nothing but itself. */
async function verified(vector: string, member: 'absence' | 'package'): Promise<VerifyReport> {
  const file = join(folder, `${vector}.json`);
  const content = JSON.parse(readFileSync(new URL(`${vector}.json`, VECTORS), 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify(content[member]));
  return verifyFile({ file, keys: [], rpcUrls: [], authorities: [] });
}

describe('a proof of absence', () => {
  it('is intact without a chain, and no more than that', async () => {
    const report = await verified('absence-valid', 'absence');
    expect(report).toMatchObject({ exitCode: 2, problems: [] });
    expect(text('f', report)).toMatch(/no event of agent [0-9a-f-]{36}\n.*in the window from 2026[^]*INTACT/);
  });

  it('is refused where it does not hold', async () => {
    const report = await verified('absence-present-skipped', 'absence');
    expect(report.exitCode).toBe(1);
    expect(report.problems[0]).toContain('[absence-neighbours-apart]');
  });
});

describe('a package', () => {
  it('is shown with the sequence of each agent, and names an event that was left out', async () => {
    const whole = text('f', await verified('valid-airline', 'package'));
    expect(whole).toMatch(/agent [0-9a-f-]{36}: 7 to 22, missing: none; 4 of 4 closed windows wholly here/);
    const less = await verified('resigned-event-left-out', 'package');
    expect(less.exitCode).toBe(1);
    expect(less.problems.join('\n')).toMatch(/Number \d+ of agent [0-9a-f-]{36} is missing\. \[sequence-missing\]/);
  });
});

describe('a key of a saved JWK set', () => {
  const vector = JSON.parse(readFileSync(new URL('valid-small.json', VECTORS), 'utf8')) as {
    readonly package: object;
    readonly keys: readonly { readonly pem: string }[];
  };
  const [file, set] = [join(folder, 'signed.json'), join(folder, 'jwks.json')];
  const exitCode = async (facts: object): Promise<number> => {
    const jwk = createPublicKey(vector.keys[0]!.pem).export({ format: 'jwk' });
    writeFileSync(set, JSON.stringify({ keys: [{ ...jwk, validFrom: '2026-01-01T00:00:00.000Z', ...facts }] }));
    return (await verifyFile({ file, keys: [set], rpcUrls: [], authorities: [] })).exitCode;
  };

  it('vouches alone while it is active; once it is retired, only with the time of the report', async () => {
    writeFileSync(file, JSON.stringify(vector.package));
    expect(await exitCode({ status: 'active', validTo: null })).toBe(0);
    expect(await exitCode({ status: 'retired', validTo: '2026-06-01T00:00:00.000Z' })).toBe(2);
    const bare = await verifyFile({ file, keys: [vector.keys[0]!.pem], rpcUrls: [], authorities: [] });
    expect([bare.exitCode, bare.notChecked.join()]).toEqual([
      0,
      expect.stringContaining('whether the key was revoked'),
    ]);
  });
});

const AUTHORITY = '11111111111111111111111111111111';

describe('what verify is given', () => {
  it.each([
    ['an address that is none', { rpcUrls: ['nope'], authorities: [] }, '--rpc must be'],
    ['another protocol', { rpcUrls: ['ws://127.0.0.1:8899'], authorities: [] }, '--rpc must be'],
    ['an authority of another form', { rpcUrls: ['http://127.0.0.1:1'], authorities: ['111'] }, '--authority must be'],
    ['an authority without a chain', { rpcUrls: [], authorities: [AUTHORITY] }, '--authority needs --rpc'],
    ['a key that is not there', { rpcUrls: [], authorities: [], keys: ['/nowhere/key.pem'] }, 'cannot read the key'],
    ['a file that is not there', { rpcUrls: ['http://127.0.0.1:1'], authorities: [AUTHORITY] }, 'cannot read the file'],
  ])('is a wrong use with %s, not a wrong file', async (_what, given, words) => {
    await expect(verifyFile({ file: '/nowhere/report.json', keys: [], ...given })).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringContaining(words),
    });
  });
});
