import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBase58, openSolanaChain, startLocalnet, type Chain, type Localnet } from '@countersign/chain';
import { packageDigests, reportMemo, type Sample, type SampleRequest } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { sampleText } from './describe-sample.js';
import { takeSample, type TakeSample } from './take-sample.js';

const SLOT_MS = 400;
const vectors = new URL('../../../../libs/evidence/vectors/', import.meta.url);
// Issued before its transaction was final: the test sends the transaction.
const vector = JSON.parse(readFileSync(new URL('valid-pending.json', vectors), 'utf8')) as {
  readonly package: { readonly timestamp: { readonly message: string }; readonly reportId: string };
  readonly keys: readonly { readonly pem: string }[];
};

function newKey(): { readonly publicKey: string; readonly secretKey: Uint8Array } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  return { publicKey: encodeBase58(raw), secretKey: Buffer.concat([seed, raw]) };
}

describe('a sample by the blocks of a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sample-'));
  const file = join(folder, 'report.json');
  const authority = newKey();
  let passedMs = 0;
  const begun = Date.now();
  let localnet: Localnet;
  let chain: Chain;
  let reportTx: string;

  const request: SampleRequest = { size: 3, population: 'events', notBefore: null };
  const asked = (more: Partial<TakeSample> = {}): TakeSample => ({
    file,
    keys: [vector.keys[0]!.pem],
    request,
    rpcUrls: [localnet.rpcUrl],
    authorities: [authority.publicKey],
    reportTx,
    block: null,
    check: null,
    waitMs: 0,
    ...more,
  });
  const save = (name: string, sample: unknown): string => {
    writeFileSync(join(folder, name), JSON.stringify(sample));
    return join(folder, name);
  };
  const send = async (memo: string): Promise<string> => {
    const prepared = await chain.prepareMemo(memo, authority);
    await chain.send(prepared.wire);
    passedMs += 5 * SLOT_MS;
    return prepared.signature;
  };

  beforeAll(async () => {
    writeFileSync(file, JSON.stringify(vector.package));
    localnet = await startLocalnet({
      dir: join(folder, 'localnet'),
      port: 0,
      clock: { wallMs: () => begun + passedMs, monotonicMs: () => passedMs },
    });
    chain = await openSolanaChain({ urls: localnet.rpcUrl });
    await chain.requestAirdrop(authority.publicKey, 1e9);
    reportTx = await send(vector.package.timestamp.message);
  }, 60_000);
  afterAll(async () => {
    await chain.close();
    await localnet.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let sample: Sample;

  it('cannot be drawn before its block exists, and is the same for everyone afterwards', async () => {
    const early = await takeSample(asked());
    expect(early).toMatchObject({ exitCode: 2, sample: null });
    expect(early.notChecked.at(-1)).toContain('the block is not there yet');
    passedMs += 40 * SLOT_MS;
    const drawn = await takeSample(asked());
    expect(drawn).toMatchObject({ exitCode: 0, problems: [] });
    sample = drawn.sample!;
    expect(sample.block.slot).toBe(sample.anchor.slot! + 32);
    expect(sample.selected).toHaveLength(3);
    passedMs += 100 * SLOT_MS;
    expect((await takeSample(asked())).sample).toEqual(sample);
    const larger = await takeSample(asked({ request: { ...request, size: 5 } }));
    expect(larger.sample!.selected.slice(0, 3)).toEqual(sample.selected);
  });

  it('names block, rule and what is not proven in its text', async () => {
    const text = sampleText(file, await takeSample(asked()));
    for (const part of [
      vector.package.reportId,
      'countersign/sample/1',
      `block ${sample.block.slot}, ${sample.block.blockhash}`,
      sample.selected[2]!.eventId,
      'solana:localnet',
      'DRAWN',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('is confirmed, with the chain or without', async () => {
    const check = save('sample.json', sample);
    expect(await takeSample(asked({ check }))).toMatchObject({ exitCode: 0, sample });
    const offline = await takeSample(asked({ check, rpcUrls: [], authorities: [], reportTx: null }));
    expect(offline).toMatchObject({ exitCode: 2, sample, problems: [] });
    expect(offline.notChecked.at(-1)).toContain('--rpc');
  });

  it('is drawn again from slot and hash alone', async () => {
    const block = { slot: sample.block.slot, blockhash: sample.block.blockhash, blockTime: null };
    const drawn = await takeSample(asked({ block, rpcUrls: [], authorities: [] }));
    expect(drawn.exitCode).toBe(2);
    expect(drawn.sample!.selected).toEqual(sample.selected);
  });

  it('is refused with another block, even if everything else follows from it', async () => {
    const later = await takeSample(
      asked({
        request: { ...request, notBefore: new Date(begun + passedMs - 50 * SLOT_MS).toISOString() },
      }),
    );
    expect(later.exitCode).toBe(0);
    expect(later.sample!.block.slot).toBeGreaterThan(sample.block.slot);
    const { seed, selected, block } = later.sample!;
    const check = save('another.json', { ...sample, seed, selected, block });
    const refused = await takeSample(asked({ check }));
    expect(refused).toMatchObject({ exitCode: 1, sample: null });
    expect(refused.problems[0]).toContain(`lies in slot ${sample.block.slot}`);
  });

  it('is refused with another transaction, sender, content or form', async () => {
    const other = await send(reportMemo('ab'.repeat(32)));
    expect((await takeSample(asked({ reportTx: other }))).problems[0]).toContain('names another content');
    const byOther = await takeSample(asked({ authorities: [newKey().publicKey] }));
    expect(byOther.problems[0]).toContain('no authority');
    const changed = JSON.parse(JSON.stringify(vector.package)) as { events: { event: { detail: string } }[] };
    changed.events[0]!.event.detail = 'another';
    writeFileSync(join(folder, 'changed.json'), JSON.stringify(changed));
    expect((await takeSample(asked({ file: join(folder, 'changed.json') }))).exitCode).toBe(1);
    const check = save('no-sample.json', { ...sample, rule: 'mine' });
    expect((await takeSample(asked({ check }))).problems[0]).toContain('not a sample');
  });

  it('is not settled if the transaction is not vouched for: anyone can anchor a content again, for another block', async () => {
    const timestamp = { ...vector.package.timestamp, anchor: 'solana:localnet', anchor_block_height: 1 };
    const chosen = {
      ...vector.package,
      timestamp: { ...timestamp, anchor_tx_signature: await send(timestamp.message) },
    };
    const { sha256 } = packageDigests(chosen, nodeCrypto.sha256);
    writeFileSync(join(folder, 'chosen.json'), JSON.stringify({ ...chosen, sha256 }));
    passedMs += 40 * SLOT_MS;
    const given = { file: join(folder, 'chosen.json'), reportTx: null };
    expect((await takeSample(asked(given))).problems[0]).toContain('signature-invalid');
    expect(await takeSample(asked({ ...given, keys: [] }))).toMatchObject({ exitCode: 0 });
    expect(await takeSample(asked({ ...given, keys: [], authorities: [] }))).toMatchObject({
      exitCode: 2,
      problems: [],
    });
  });

  it.each([
    ['report-signed', 2, 'every byte of the PDF'],
    ['report-unsigned', 2, 'no signature covers them'],
    ['report-page-changed', 1, 'The pages are not those that were issued'],
  ])('holds the pages of a PDF against their signature: %s', async (name, exitCode, message) => {
    const { pdf, keys } = JSON.parse(readFileSync(new URL(`pdf/${name}.json`, vectors), 'utf8')) as {
      readonly pdf: string;
      readonly keys: readonly string[];
    };
    writeFileSync(join(folder, 'report.pdf'), Buffer.from(pdf, 'base64'));
    const block = { slot: 9, blockhash: sample.block.blockhash, blockTime: null };
    const offline = { rpcUrls: [], authorities: [], block, keys };
    const report = await takeSample(asked({ ...offline, file: join(folder, 'report.pdf') }));
    expect([report.exitCode, JSON.stringify(report)]).toEqual([exitCode, expect.stringContaining(message)]);
  });

  it.each([
    ['neither chain nor block nor sample', { rpcUrls: [] }, 'name a Solana RPC'],
    ['no transaction of a report that was pending', { reportTx: null }, '--report-tx'],
    ['an invalid address', { rpcUrls: ['nope'] }, '--rpc must be'],
    ['a missing package', { file: '/nowhere/report.json' }, 'cannot read the file'],
    ['a missing sample', { check: '/nowhere/sample.json' }, 'cannot read the sample'],
  ])('is a wrong use with %s', async (_what, more, message) => {
    await expect(takeSample(asked(more))).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringContaining(message),
    });
  });
});
