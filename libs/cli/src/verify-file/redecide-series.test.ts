import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignedPackage } from '@countersign/contracts';
import {
  assembleSeries,
  canonicalMembers,
  keyId,
  packageTimestamp,
  piecesOf,
  publicKeyFromPem,
  seriesEntry,
  signMembers,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { text } from '../commands/verify.js';
import { verifyFile } from './verify-file.js';
import type { VerifyReport } from './verify-report.js';

const VECTORS = new URL('../../../../libs/evidence/vectors/redecide/', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'countersign-series-redecided-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const ownKey = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const ownId = keyId(publicKeyFromPem(ownKey)!, nodeCrypto.sha256);

/** A folder with a series of one package, a vector of re-decision; verified with `--redecide`. */
async function verified(name: string, redecide = true): Promise<VerifyReport> {
  const vector = JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8')) as {
    readonly package: SignedPackage;
    readonly keys: readonly { readonly pem: string }[];
  };
  const pkg = vector.package;
  const content = canonicalMembers(
    assembleSeries({
      seriesId: '0198a1b2-0000-4000-8000-00000000000f',
      generator: { name: 'countersign', version: '0.1.0' },
      range: pkg.range,
      packages: [seriesEntry(pkg, nodeCrypto.sha256)],
      audit: {
        ...{ organisation: 'Example', system: null, environment: null, mappingReview: null },
        preparedBy: { id: '0198a1b2-0000-4000-8000-00000000000e', name: 'a@b.example' },
      },
    }),
  );
  const hash = createHash('sha256');
  for (const piece of piecesOf(content)) hash.update(piece);
  const issuedAt = '2026-03-03T00:00:00.000Z';
  const { pieces } = signMembers(
    content,
    packageTimestamp(hash.digest('hex'), issuedAt, null),
    { publicKeyUrl: `https://cs.example/v1/keys/${ownId}`, sign: (bytes) => sign(null, bytes, privateKey) },
    nodeCrypto.sha256,
  );
  const at = mkdtempSync(join(folder, `${name}-`));
  writeFileSync(join(at, 'series.json'), Buffer.concat([...pieces()]));
  writeFileSync(join(at, '0001.json'), JSON.stringify(pkg));
  const keys = [ownKey, ...vector.keys.map(({ pem }) => pem)];
  return verifyFile({
    file: at,
    keys,
    rpcUrls: [],
    authorities: [],
    ...(redecide ? { redecide } : {}),
  });
}

describe('countersign verify --redecide of a series', () => {
  it('ends with 0 and says the totals where every verdict is the same', async () => {
    const report = await verified('same');
    expect([report.problems, report.exitCode]).toEqual([[], 0]);
    expect(report.seriesRedecision).toMatchObject({
      totals: { checks: 9, same: 9, different: 0 },
      packages: [{ file: '0001.json', totals: { same: 9 } }],
    });
    const words = text('folder', report);
    expect(words).toContain('of 1 of 1 packages, an agent once for each:');
    expect(words).toContain('9 verdicts: 9 same, 0 different');
  });

  it.each([
    ['verdict-flipped', 'outcome is recorded as "allowed", and computed as "denied"'],
    ['debit-skipped', 'the balance spent.day is recorded as 0, and by the checks before it is 4000000'],
  ])('ends with 1 and names the file and what differs: %s', async (name, words) => {
    const report = await verified(name);
    expect(report.exitCode).toBe(1);
    expect(report.result?.ok).toBe(true);
    expect(report.problems[0]).toContain('0001.json: event ');
    expect(report.problems.join('\n')).toContain(words);
    expect(text('folder', report)).toContain(words);
  });

  it('ends with 2 and says what was not computed', async () => {
    const report = await verified('payload-not-kept');
    expect(report.exitCode).toBe(2);
    expect(report.notChecked.join('\n')).toMatch(/of the verdicts: \d+ (withheld|not checked), since .*payload/);
  });

  it('computes nothing where it was not asked for', async () => {
    const report = await verified('verdict-flipped', false);
    expect([report.exitCode, report.seriesRedecision]).toEqual([0, undefined]);
  });
});
