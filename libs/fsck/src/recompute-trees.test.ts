import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { agentKey, merkleRoot, toHex, windowLeafHash } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { recomputeTrees } from './recompute-trees.js';
import { Report } from './report.js';

const { sha256 } = nodeCrypto;
const AGENTS = 1_500;
const TILE = 1_024;

/** A store with one closed window, in which each agent has one event. */
function storeOfOneWindow(tileRoots: (leaves: readonly Uint8Array[]) => Uint8Array | null): Database.Database {
  const store = new Database(':memory:');
  store.exec(`CREATE TABLE windows (n, id, root, agent_count, event_count, state, tile_roots);
    CREATE TABLE agents (n, id, key); CREATE TABLE segments (agent_n, first_sequence, hashes);
    CREATE TABLE window_agents (window_n, leaf_index, agent_n, first_sequence, last_sequence, root);
    CREATE TABLE window_leaves (window_n, first_index, hashes); CREATE INDEX a ON agents (n); CREATE INDEX s ON segments (agent_n)`);
  const agents = Array.from({ length: AGENTS }, (_, n) => {
    const id = `agent ${n}`;
    return { n, id, key: agentKey(id, sha256), root: createHash('sha256').update(id).digest() };
  }).sort((a, b) => (a.key < b.key ? -1 : 1));
  const leaves = agents.map(({ key, root }) =>
    windowLeafHash({ agentKey: key, count: 1, firstSequence: 1, lastSequence: 1, agentRoot: toHex(root) }, sha256),
  );
  const [addAgent, addSegment, addPlace] = [
    store.prepare('INSERT INTO agents VALUES (?, ?, ?)'),
    store.prepare('INSERT INTO segments VALUES (?, 1, ?)'),
    store.prepare('INSERT INTO window_agents VALUES (1, ?, ?, 1, 1, ?)'),
  ];
  for (const [index, { n, id, key, root }] of agents.entries()) {
    addAgent.run(n, id, Buffer.from(key, 'hex'));
    addSegment.run(n, root);
    addPlace.run(index, n, root);
  }
  store.prepare('INSERT INTO window_leaves VALUES (1, 0, ?)').run(Buffer.concat(leaves));
  store
    .prepare(`INSERT INTO windows VALUES (1, '1-1', ?, ?, ?, 'closed', ?)`)
    .run(toHex(merkleRoot(leaves, sha256)), AGENTS, AGENTS, tileRoots(leaves));
  return store;
}

function findings(store: Database.Database): readonly string[] {
  const report = new Report();
  recomputeTrees(store, report.check('trees', 'windows', 'none'));
  store.close();
  return report.checks.flatMap((check) => check.findings.map(({ problem }) => problem));
}

describe('the roots that are kept of a window’s tiles', () => {
  const rootsOf = (leaves: readonly Uint8Array[]): Uint8Array =>
    Buffer.concat([merkleRoot(leaves.slice(0, TILE), sha256), merkleRoot(leaves.slice(TILE), sha256)]);

  it('are those of its leaves, or are not kept', () => {
    expect(findings(storeOfOneWindow(rootsOf))).toEqual([]);
    expect(findings(storeOfOneWindow(() => null))).toEqual([]);
    const before = storeOfOneWindow(() => null);
    before.exec('ALTER TABLE windows DROP COLUMN tile_roots');
    expect(findings(before)).toEqual([]);
  });

  it('are named where they were changed', () => {
    const changed = storeOfOneWindow((leaves) => rootsOf(leaves).map((byte, n) => (n === 40 ? byte ^ 1 : byte)));
    expect(findings(changed)).toEqual(['the roots that are kept of its tiles are not theirs']);
    const shorter = storeOfOneWindow((leaves) => rootsOf(leaves).subarray(32));
    expect(findings(shorter)).toHaveLength(1);
  });
});
