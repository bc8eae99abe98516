import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignedPackage } from '@countersign/contracts';
import { assemblePackage, contentHash, keyId, packageTimestamp, signPackage } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { text } from '../commands/verify.js';
import { verifyFile } from './verify-file.js';
import type { VerifyReport } from './verify-report.js';

const VECTORS = new URL('../../../../libs/evidence/vectors/', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'countersign-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Verifies a member of a test vector, as a file, without key or chain. */
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

  it('is refused if it does not hold', async () => {
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
    expect(await exitCode({ status: 'retired', validTo: null })).toBe(2);
    const bare = await verifyFile({ file, keys: [vector.keys[0]!.pem], rpcUrls: [], authorities: [] });
    expect([bare.exitCode, bare.notChecked.join()]).toEqual([
      0,
      expect.stringContaining('whether the key was revoked'),
    ]);
  });
});

describe('a PDF of a report', () => {
  const judged = async (name: string, withKey = true, change = (pdf: Buffer): Buffer => pdf): Promise<VerifyReport> => {
    const vector = JSON.parse(readFileSync(new URL(`pdf/${name}.json`, VECTORS), 'utf8')) as {
      readonly pdf: string;
      readonly keys: readonly string[];
    };
    const file = join(folder, 'report.pdf');
    writeFileSync(file, change(Buffer.from(vector.pdf, 'base64')));
    return verifyFile({ file, keys: withKey ? vector.keys : [], rpcUrls: [], authorities: [] });
  };

  it('is verified to its last byte', async () => {
    const whole = await judged('report-signed');
    expect([whole.exitCode, whole.problems]).toEqual([0, []]);
    expect(text('f', whole)).toMatch(/every byte of the PDF, its pages with them: signed by key_[0-9a-f]{16}\n/);
    const unchecked = await judged('report-signed', false);
    expect([unchecked.exitCode, unchecked.notChecked.join()]).toEqual([2, expect.stringContaining('no key was given')]);
  });

  it.each(['report-page-changed', 'report-signature-removed'])(
    'is refused if its pages were changed: %s',
    async (name) => {
      const report = await judged(name);
      expect([report.exitCode, report.result?.ok]).toEqual([1, false]);
      expect(text('f', report)).toMatch(
        /Wrong\n {2}!! {2}pages: The pages are not those that were issued: .*\[pages-differ\][^]*REFUSED/,
      );
    },
  );

  it('is refused with a script that a reader would run', async () => {
    const report = await judged('report-signed', true, (pdf) =>
      Buffer.from(pdf.toString('latin1').replace('/Type /Annot', '/AA (script)'), 'latin1'),
    );
    expect(report.exitCode).toBe(1);
    expect(report.problems.join()).toMatch(/holds \/AA, .* the pages are not those that were issued/);
  });

  it('ends with 2 if no signature covers the pages, and says why', async () => {
    const report = await judged('report-unsigned');
    expect([report.exitCode, report.problems]).toEqual([2, []]);
    expect(text('f', report)).toContain('the package is verified, its pages are not');
  });

  it('carries a package and no proof of absence', async () => {
    const proof = readFileSync(new URL('absence-valid.json', VECTORS), 'utf8');
    const { absence } = JSON.parse(proof) as { readonly absence: object };
    const content = JSON.stringify(absence);
    const report = await judged('unsigned', false, (pdf) => withAttachment(pdf, content));
    expect([report.exitCode, report.problems[0]]).toEqual([1, expect.stringContaining('unsupported-canonicalization')]);
  });
});

/** The file with another attachment and an adjusted cross-reference table. */
function withAttachment(pdf: Buffer, content: string): Buffer {
  const text = pdf.toString('latin1');
  const old = /\/Length (\d+)\n>>\nstream\n(\{.*\})\nendstream/.exec(text)!;
  const put = `/Length ${content.length}\n>>\nstream\n${content}\nendstream`;
  const moved = put.length - old[0].length;
  const offset = (digits: string): number => Number(digits) + (Number(digits) > old.index ? moved : 0);
  const entries = (_: string, digits: string): string => `${String(offset(digits)).padStart(10, '0')} 00000 n`;
  return Buffer.from(
    text
      .replace(old[0], () => put)
      .replace(/(\d{10}) 00000 n/g, entries)
      .replace(/startxref\n(\d+)/, (_, digits: string) => `startxref\n${offset(digits)}`),
    'latin1',
  );
}

const AUTHORITY = '11111111111111111111111111111111';

describe('a chain that is asked', () => {
  it('vouches for nothing if nothing of the package is on it', async () => {
    const { sha256 } = nodeCrypto;
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
    const vector = readFileSync(new URL('valid-small.json', VECTORS), 'utf8');
    const { package: small } = JSON.parse(vector) as { readonly package: SignedPackage };
    const { timestamp: _t, sha256: _h, signature: _s, algorithm: _a, publicKeyUrl: _u, ...parts } = small;
    const content = assemblePackage({ ...parts, agents: [], events: [], inclusionProofs: [], windows: [] });
    const signer = {
      publicKeyUrl: `https://countersign.example/v1/keys/${keyId(raw, sha256)}`,
      sign: (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, privateKey)),
    };
    const timestamp = packageTimestamp(contentHash(content, sha256), small.timestamp.issued_at, null);
    const file = join(folder, 'nothing-anchored.json');
    writeFileSync(file, JSON.stringify(signPackage(content, timestamp, signer, sha256)));
    const genesis = { jsonrpc: '2.0', id: 1, result: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' };
    const node = createServer((request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify(genesis)));
    });
    await new Promise<void>((done) => node.listen(0, '127.0.0.1', done));
    try {
      const rpcUrls = [`http://127.0.0.1:${(node.address() as AddressInfo).port}`];
      const code = async (urls: readonly string[], authorities: readonly string[]): Promise<number> =>
        (await verifyFile({ file, keys: [pem], rpcUrls: urls, authorities })).exitCode;
      expect(await code([], [])).toBe(0);
      expect(await code(rpcUrls, [AUTHORITY])).toBe(2);
    } finally {
      node.closeAllConnections();
      await new Promise((done) => node.close(done));
    }
  });
});

describe('input of verify', () => {
  it.each([
    ['an invalid address', { rpcUrls: ['nope'], authorities: [] }, '--rpc must be'],
    ['another protocol', { rpcUrls: ['ws://127.0.0.1:8899'], authorities: [] }, '--rpc must be'],
    ['an authority of another form', { rpcUrls: ['http://127.0.0.1:1'], authorities: ['111'] }, '--authority must be'],
    ['an authority without a chain', { rpcUrls: [], authorities: [AUTHORITY] }, '--authority needs --rpc'],
    ['a missing key', { rpcUrls: [], authorities: [], keys: ['/nowhere/key.pem'] }, 'cannot read the key'],
    ['a missing file', { rpcUrls: ['http://127.0.0.1:1'], authorities: [AUTHORITY] }, 'cannot read the file'],
  ])('is a wrong use with %s, not a wrong file', async (_what, given, message) => {
    await expect(verifyFile({ file: '/nowhere/report.json', keys: [], ...given })).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringContaining(message),
    });
  });
});
