import { generateKeyPairSync, randomBytes, randomUUID, sign, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  encodeBase58,
  intentFor,
  openSolanaChain,
  startLocalnet,
  submitMemo,
  type Chain,
  type Localnet,
} from '@countersign/chain';
import type { InclusionProof, LeafEvent, PackageEvent, PackageWindow } from '@countersign/contracts';
import {
  assemblePackage,
  contentHash,
  eventStatus,
  isoDuration,
  keyId,
  leafHashOf,
  MerkleTree,
  packageTimestamp,
  plainLeaf,
  proofFor,
  publicKeyToPem,
  signPackage,
  uuidV7,
  windowMemo,
  windowTree,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { text } from '../commands/verify.js';
import { verifyFile } from './verify-file.js';
import type { VerifyReport } from './verify-report.js';

const { sha256 } = nodeCrypto;
const NETWORK = 'solana:localnet';
const AGENT = randomUUID();
const YEAR = 365 * 24 * 3_600_000;

/** A key of the installation, available to its operator. */
function newKey(): { readonly raw: Uint8Array; readonly sign: (bytes: Uint8Array) => Uint8Array } {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ed25519');
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  return { raw, sign: (bytes) => new Uint8Array(sign(null, bytes, privateKey)) };
}

interface Part {
  readonly startMs: number;
  readonly events: readonly LeafEvent[];
}

/** Attacks of an operator who has the keys and rewrites the history: everything is really signed and anchored. */
describe('evidence against its operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-operator-'));
  const signing = newKey();
  const anchoring = newKey();
  const authority = encodeBase58(anchoring.raw);
  const chainSigner = { publicKey: authority, sign: anchoring.sign };
  let localnet: Localnet;
  let chain: Chain;
  let genuine: readonly Part[];
  let newest: string | null;
  let from: number;
  const keyFile = join(folder, 'key.pem');
  const signatures = new Map<string, string>();

  const send = async (memo: string): Promise<string> => {
    const save = async (): Promise<void> => undefined;
    const { landed } = await submitMemo(intentFor(memo), { chain, signer: chainSigner, save, pollMs: 50 });
    return landed.signature;
  };
  /** Anchors parts as windows of one second; `prev` continues the given chain. */
  const anchor = async (parts: readonly Part[], firstPrev: string | null = null): Promise<string | null> => {
    let prev = firstPrev;
    let sequence = 1;
    for (const { startMs, events } of parts) {
      const { tree } = treeOf({ startMs, events }, sequence);
      const windowStart = new Date(startMs).toISOString();
      const counts = { agents: tree.treeSize, events: tree.eventCount };
      const memo = windowMemo({ root: tree.merkleRoot, prev, windowStart, durationSeconds: 1, ...counts });
      signatures.set(tree.merkleRoot, await send(memo));
      prev = tree.merkleRoot;
      sequence += events.length;
    }
    return prev;
  };
  /** Verifies a package of the parts, which is signed and anchored like its windows. */
  const issued = async (
    name: string,
    parts: readonly Part[],
    range: { from: number; to: number },
  ): Promise<VerifyReport> => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(await issue(parts, range)));
    return verify(file);
  };
  const verify = (file: string, walkBound?: number): Promise<VerifyReport> => {
    const trust = { keys: [keyFile], rpcUrls: [localnet.rpcUrl], authorities: [authority] };
    return verifyFile({ file, ...trust, ...(walkBound === undefined ? {} : { walkBound }) });
  };
  const issue = async (parts: readonly Part[], range: { from: number; to: number }): Promise<unknown> => {
    const events: PackageEvent[] = [];
    const inclusionProofs: InclusionProof[] = [];
    const windows: PackageWindow[] = [];
    let sequence = 1;
    for (const part of parts) {
      const { tree, leaves } = treeOf(part, sequence);
      const [agent] = tree.agents;
      const label = {
        windowStart: new Date(part.startMs).toISOString(),
        windowEnd: new Date(part.startMs + 1000).toISOString(),
      };
      const anchored = { merkleRoot: tree.merkleRoot, txSignature: signatures.get(tree.merkleRoot)!, network: NETWORK };
      const position = {
        ...label,
        ...anchored,
        leaf: agent!.leaf,
        leafIndex: 0,
        treeSize: tree.treeSize,
        path: agent!.path,
      };
      windows.push({ agentId: AGENT, ...position });
      for (const event of part.events) {
        const facts = { reported: [], unanswered: false, referred: null, dataScope: true };
        const verdict = eventStatus({ event, holds: true, ...facts });
        events.push({ event, sequence, opened: {}, ...verdict, controls: [] });
        inclusionProofs.push(proofFor({ eventId: event.eventId, sequence }, leaves, position));
        sequence += 1;
      }
    }
    const agent = { id: AGENT, name: 'Agent', type: null, purpose: null, version: null, status: 'active' };
    const unregistered = { blockchain_ssn: null, wallet_address: null, chain_tx_signature: null };
    const counts = { firstSequence: 1, lastSequence: events.length, count: events.length };
    const content = assemblePackage({
      reportId: randomUUID(),
      generator: { name: 'countersign', version: '0.1.0' },
      range: { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() },
      frameworks: [],
      mapping: { version: '1', sha256: '0'.repeat(64) },
      scope: { soc2: null, hipaa: null, euaiact: null, nydfs: null },
      statements: [],
      anchorAuthorities: [],
      agents: [{ ...agent, ...unregistered, ...counts, anchors: [] }],
      events,
      inclusionProofs,
      windows,
    });
    const hash = contentHash(content, sha256);
    const txSignature = await send(packageTimestamp(hash, new Date().toISOString(), null).message);
    const { blockHeight } = (await chain.transaction(txSignature))!;
    const own = { network: NETWORK, txSignature, blockHeight: blockHeight! };
    const timestamp = packageTimestamp(hash, new Date().toISOString(), own);
    const publicKeyUrl = `https://countersign.example/v1/keys/${keyId(signing.raw, sha256)}`;
    return signPackage(content, timestamp, { publicKeyUrl, sign: signing.sign }, sha256);
  };
  const treeOf = ({ events }: Part, firstSequence: number) => {
    const leaves = events.map((event) => leafHashOf(event, sha256));
    return {
      tree: windowTree([{ agentId: AGENT, firstSequence, leaves }], sha256),
      leaves: new MerkleTree(leaves, sha256),
    };
  };

  beforeAll(async () => {
    localnet = await startLocalnet({ dir: join(folder, 'ledger'), port: 0, finalityMs: 100 });
    chain = await openSolanaChain({ urls: localnet.rpcUrl });
    writeFileSync(keyFile, publicKeyToPem(signing.raw));
    const airdrop = await chain.requestAirdrop(authority, 1e9);
    while ((await chain.status(airdrop)).state !== 'finalized') await new Promise((done) => setTimeout(done, 50));
    from = Math.floor(Date.now() / 1000) * 1000 - 60_000;
    genuine = [0, 1, 2].map((window) => ({
      startMs: from + window * 10_000,
      events: [0, 1].map((i) => eventAt(from + window * 10_000 + i, window === 1 && i === 0)),
    }));
    newest = await anchor(genuine);
  });
  afterAll(async () => {
    await chain.close();
    await localnet.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('verifies what was anchored in time, and shows when', async () => {
    const report = await issued('genuine', genuine, { from: 0, to: Date.now() });
    expect([report.exitCode, report.problems]).toEqual([0, []]);
    expect(text('f', report)).toMatch(/anchored 20[^]* s after its end[^]*VERIFIED/);
    const short = await verify(join(folder, 'genuine.json'), 1);
    expect([short.exitCode, short.notChecked.join()]).toEqual([2, expect.stringContaining('could not be read back')]);
  });

  it('does not verify a history whose last window was left out', async () => {
    const report = await issued('tail', genuine.slice(0, 2), { from: 0, to: Date.now() });
    expect(report.exitCode).toBe(2);
    const [left] = (report.result as { unsettled: readonly { code: string; unlisted: readonly unknown[] }[] })
      .unsettled;
    const window = `${new Date(genuine[2]!.startMs).toISOString()}/${isoDuration(1)}`;
    expect(left).toMatchObject({ code: 'window-unlisted', unlisted: [{ agentId: AGENT, window }] });
  });

  it('does not verify events that were dated back by a year and anchored today', async () => {
    const moved = genuine.map(({ startMs, events }) => ({
      startMs: startMs - YEAR,
      events: events.map(({ occurredAt, allowed }) => eventAt(Date.parse(occurredAt) - YEAR, allowed === false)),
    }));
    await anchor(moved, newest);
    const report = await issued('backdated', moved, { from: from - YEAR, to: from - YEAR + 3_600_000 });
    expect(report.exitCode).toBe(2);
    expect(report.result).toMatchObject({ unsettled: [{ code: 'window-late' }, { code: 'event-late' }] });
  });

  it('refuses windows that were anchored a second time without a denied event', async () => {
    const changed = genuine.map(({ startMs, events }) => ({
      startMs,
      events: events.filter(({ allowed }) => allowed === true),
    }));
    await anchor(changed);
    const range = { from: from - 1000, to: Date.now() };
    const report = await issued('dropped', changed, range);
    expect([report.exitCode, report.problems[0]]).toEqual([1, expect.stringContaining('[window-equivocated]')]);
    // From then on both versions are on the chain, and neither is proven true.
    expect((await issued('genuine-after', genuine, range)).exitCode).toBe(1);
  });
});

function eventAt(atMs: number, denied: boolean): LeafEvent {
  const head = { eventId: uuidV7(atMs, new Uint8Array(randomBytes(10))), agentId: AGENT };
  const refused = { reason: 'off limits', severity: 'P1', violation_type: 'off_limits_action' } as const;
  return {
    ...plainLeaf({ ...head, type: 'action.checked', occurredAt: new Date(atMs).toISOString() }),
    outcome: denied ? 'denied' : 'allowed',
    allowed: !denied,
    ...(denied ? refused : {}),
    actionKind: 'tool_use',
    profileVersion: 1,
    profileSha256: '0'.repeat(64),
    action: '1'.repeat(64),
  };
}
