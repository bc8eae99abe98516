import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnchorFacts, ProofSource, VersionedRecord } from '@countersign/contracts';
import { fromHex, leafHashOf, MerkleTree, proofFor, rootFromPath, toHex, windowLeafHash } from '@countersign/evidence';
import { loadConfig } from '@countersign/process';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { run } from '@countersign/service-kit';
import type { RunningProcess, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import { definition } from './index.js';
import { agentId, envelope } from './testing/envelopes.js';

const { sha256 } = nodeCrypto;

/** Looks at the process from inside, as another service would. */
function probe(seen: (context: ServiceContext) => void): ServiceDefinition {
  return {
    name: 'reporting',
    routes: [],
    reads: ['anchors'],
    writes: ['agent-events', 'anchor-requests'],
    after: ['anchoring'],
    start: async (context) => {
      seen(context);
      return { notReady: () => [], stop: async () => undefined };
    },
  };
}

describe('anchoring in a process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'anchoring-service-'));
  let running: RunningProcess;
  let context: ServiceContext;
  let proofs: ProofSource;

  async function start(): Promise<void> {
    const config = loadConfig({
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'silent',
    });
    running = await run([definition, probe((seen) => (context = seen))], config);
    proofs = await context.peer('proof-source');
  }

  async function anchors(): Promise<ReadonlyMap<string, AnchorFacts>> {
    const records = await context.eventLog.read('anchors', 0, 0, 1_000);
    return new Map(
      records.map(({ key, value }) => [
        key,
        (JSON.parse(Buffer.from(value).toString('utf8')) as VersionedRecord<AnchorFacts>).value!,
      ]),
    );
  }

  async function until<T>(what: string, look: () => Promise<T | null | undefined>): Promise<T> {
    for (let tries = 0; tries < 300; tries += 1) {
      const found = await look();
      if (found !== null && found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${what} did not come: ${running.notReady().join('; ')}`);
  }

  const append = (n: number, agent: number): Promise<unknown> => {
    const one = envelope({ n, agent, occurredAtMs: Date.now() });
    return context.eventLog.append([{ topic: 'agent-events', key: one.leaf.agentId, value: JSON.stringify(one) }]);
  };

  beforeAll(start, 60_000);
  afterAll(async () => {
    await running.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('turns events into proofs that lead to the root on the chain', async () => {
    const sent = [envelope({ n: 1, agent: 1 }), envelope({ n: 2, agent: 2 }), envelope({ n: 3, agent: 1 })];
    await context.eventLog.append(
      sent.map((one) => ({ topic: 'agent-events' as const, key: one.leaf.agentId, value: JSON.stringify(one) })),
    );
    const [place] = await until('the window', async () => {
      const found = await proofs.windows(agentId(1), 1, 2);
      return found.length > 0 ? found : null;
    });
    const hashes = (await proofs.leafHashes(agentId(1), 1, 2)).map((hash) => fromHex(hash)!);
    expect(hashes.map(toHex)).toEqual([sent[0]!, sent[2]!].map((one) => toHex(leafHashOf(one.leaf, sha256))));
    const proof = proofFor({ eventId: sent[2]!.leaf.eventId, sequence: 2 }, new MerkleTree(hashes, sha256), place!);
    expect(await proofs.proof(agentId(1).toUpperCase(), 2, sent[2]!.leaf.eventId)).toEqual(proof);
    expect(await proofs.proof(agentId(1), 9, sent[2]!.leaf.eventId)).toBeNull();
    const root = rootFromPath(
      windowLeafHash(place!.leaf, sha256),
      proof.agent.leafIndex,
      proof.agent.treeSize,
      proof.agent.path.map((hash) => fromHex(hash)!),
      sha256,
    );
    expect(toHex(root!)).toBe(place!.merkleRoot);

    const chain = await context.chain();
    const transaction = await chain.transaction(place!.txSignature);
    expect(transaction?.succeeded).toBe(true);
    expect(transaction?.memos).toEqual([expect.stringContaining(`root=${place!.merkleRoot} prev=0 window=`)]);
    const facts = await until('the window record', async () => (await anchors()).get('window:1-1:0'));
    expect(facts).toMatchObject({ kind: 'window', merkleRoot: place!.merkleRoot, txSignature: place!.txSignature });
    expect(transaction?.feePayer).toBe((facts as { authority: string }).authority);
    expect((await anchors()).get(`authority:${transaction!.feePayer}`)).toMatchObject({ network: 'solana:localnet' });
    expect((await anchors()).get('cut:1:1')).toMatchObject({ kind: 'cut', number: 1 });
    expect(statSync(join(directory, 'anchoring', 'authority.json')).mode & 0o777).toBe(0o600);
  }, 60_000);

  it('anchors a report by its content hash', async () => {
    const request = { reportId: 'report-1', contentHash: 'cd'.repeat(32) };
    await context.eventLog.append([versionedRecord('anchor-requests', request.reportId, 1, request)]);
    const facts = await until('the report', async () => (await anchors()).get('report:report-1'));
    const transaction = await (await context.chain()).transaction((facts as { txSignature: string }).txSignature);
    expect(transaction?.memos).toEqual([`countersign/1 report=${request.contentHash}`]);
  }, 60_000);

  it('goes on after a restart: same key, next window, same chain of roots', async () => {
    const before = await anchors();
    await append(10, 2);
    await running.stop();
    await start();
    await append(11, 2);
    const window = await until('the next window', async () => {
      const found = [...(await anchors())].filter(([key]) => key.startsWith('window:') && !before.has(key));
      return found.find(
        ([, facts]) => facts.kind === 'window' && facts.agents.some((one) => one.lastSequence === 3),
      )?.[1];
    });
    const authorities = [...(await anchors()).keys()].filter((key) => key.startsWith('authority:'));
    expect(authorities).toHaveLength(1);
    const roots = [...(await anchors()).values()].flatMap((facts) =>
      facts.kind === 'window' ? [facts.merkleRoot] : [],
    );
    expect(roots).toContain((window as { prev: string }).prev);
    expect(running.notReady()).toEqual([]);
  }, 60_000);
});
