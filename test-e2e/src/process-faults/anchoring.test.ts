import { setTimeout as sleep } from 'node:timers/promises';
import { distributedInstallation } from '../instance/distributed.js';
import { fsckClean } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { allAnchored, listAnchors } from '../reliability/anchors.js';
import { statuses, SteadyLoad, stopLoads } from '../server-faults/steady-load.js';
import type { ServiceProcess } from '../topology/service-process.js';
import { FaultyTopology, metric, onTopology } from './faulty-topology.js';
import { FaultyNode } from './faulty-node.js';

onTopology('anchoring, if its leader or its node fails', () => {
  let faulty: FaultyTopology;
  let node: FaultyNode;
  const load = (name: string): SteadyLoad =>
    new SteadyLoad(faulty.topology, { name, perSecond: 10, agentIds: faulty.agentIds });
  const leads = async (one: ServiceProcess): Promise<boolean> =>
    one.runs && (await metric(one, 'countersign_anchoring_leads')).get('') === 1;
  const leader = async (): Promise<ServiceProcess | null> => {
    const anchoring = faulty.topology.of('anchoring');
    const leading = await Promise.all(anchoring.map(leads));
    const found = anchoring.filter((_, n) => leading[n]);
    return found.length === 1 ? (found[0] ?? null) : null;
  };

  beforeAll(async () => {
    const installation = await distributedInstallation();
    node = await FaultyNode.start(installation.env['SOLANA_RPC_URL'] ?? '');
    faulty = await FaultyTopology.start(
      {
        instances: { anchoring: 2, reporting: 0, verification: 0 },
        together: ['identity', 'policy', 'audit-log'],
        env: { SOLANA_RPC_URL: node.url },
      },
      installation,
    );
  }, 300_000);
  afterAll(async () => {
    await stopLoads();
    await faulty?.discard();
    await node?.close();
  }, 60_000);

  it.each([
    ['right after its transaction was sent', 'sendTransaction'],
    ['before it knows the status of its transaction', 'getSignatureStatuses'],
  ])(
    'the leader killed %s: another process takes over',
    async (_when, method) => {
      const first = await eventually('one leads', 60, leader);
      const checks = load(method);
      await node.atNext(method, () => first.kill());
      await startsWithoutNode(first);
      const second = await eventually('another one leads', 90, leader);
      const attempts = await faulty.end(checks);
      expect(statuses(attempts)).toEqual({ 200: attempts.length });
      expect(second.runs).toBe(true);
    },
    180_000,
  );

  it('and each window is on the chain once', async () => {
    await allAnchored(faulty.topology, faulty.session, 120);
    expect(await twiceAnchored()).toEqual([]);
    expect(Math.max(...(await memosOnChain()).values())).toBe(1);
  }, 150_000);

  it('a node that drops, refuses, lags and delays past expiry: each window counts as anchored once', async () => {
    const { topology, session } = faulty;
    await topology.ready();
    const checks = load('node');
    for (const fault of ['drops', 'refuses', 'lags'] as const) {
      node.resetCount();
      node.fault = fault;
      await eventually(`the node ${fault}`, 60, async () =>
        node.did[fault] > (fault === 'lags' ? 2 : 0) ? true : null,
      );
      // Long enough for transactions made under `lags` to be reported as expired.
      await sleep(fault === 'lags' ? 4000 : 500);
      expect(node.mostAlike).toBeLessThanOrEqual(1);
    }
    node.resetCount();
    node.fault = 'delays';
    await eventually(
      'transactions kept by the node expire and are made again',
      60,
      async () => node.mostAlike > 1 || null,
    );
    node.fault = 'none';
    expect(await node.release()).toBeGreaterThan(1);
    const attempts = await faulty.end(checks);
    expect(statuses(attempts)).toEqual({ 200: attempts.length });
    await allAnchored(topology, session, 120);
    expect(await twiceAnchored()).toEqual([]);
    expect(Math.max(...(await memosOnChain()).values())).toBeGreaterThan(1);
    for (const one of topology.of('anchoring')) {
      const alarms = await metric(one, 'countersign_equivocations_total');
      expect([...alarms.values()]).toEqual([0, 0]);
      expect((await metric(one, 'countersign_anchor_failures_total')).get('kind="damaged"')).toBe(0);
    }
    await faulty.whole();
  }, 300_000);

  it('and all of them end in order', async () => {
    const ends = await faulty.topology.stop();
    expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
    await fsckClean(faulty.installation);
  }, 120_000);

  /** It reports the node, and only it waits: checks continue, and instances that anchored before are ready. */
  async function startsWithoutNode(one: ServiceProcess): Promise<void> {
    const others = faulty.topology.processes.filter((other) => other !== one);
    node.fault = 'refuses';
    try {
      one.start();
      await eventually('it names the node that it waits for', 60, async () => {
        const problems = (await one.readiness())?.waitingFor ?? [];
        return problems.length === 1 && problems[0]?.includes(new URL(node.url).host) ? true : null;
      });
      for (const other of others) expect(await other.readiness()).toEqual({ ready: true });
      for (const other of others.filter(({ services }) => services.includes('anchoring'))) {
        await eventually('the outage is logged', 60, async () => {
          return (await metric(other, 'countersign_anchoring_chain_reachable')).get('') === 0 ? true : null;
        });
      }
    } finally {
      node.fault = 'none';
    }
    await one.ready();
  }

  /** Events of the first agents that occur in two anchors. */
  async function twiceAnchored(): Promise<readonly string[]> {
    const { topology, session, agentIds } = faulty;
    const found: string[] = [];
    for (const agentId of agentIds) {
      const seen = new Set<string>();
      for (const { event_ids } of await listAnchors(topology, session, agentId)) {
        for (const id of event_ids) {
          if (seen.has(id)) found.push(`${id} of ${agentId}`);
          seen.add(id);
        }
      }
      if (seen.size === 0) found.push(`nothing of ${agentId}`);
    }
    return found;
  }

  /** Number of occurrences of each of the authority's memos on the chain. */
  async function memosOnChain(): Promise<ReadonlyMap<string, number>> {
    const { topology, session } = faulty;
    const [anchor] = await listAnchors(topology, session, faulty.agentIds[0]);
    const transaction = await node.call<{
      transaction: { message: { accountKeys: readonly string[] } };
    }>('getTransaction', [anchor?.chain_tx_signature, { encoding: 'json', maxSupportedTransactionVersion: 0 }]);
    const [authority] = transaction.transaction.message.accountKeys;
    const listed = await node.call<readonly { memo: string | null }[]>('getSignaturesForAddress', [
      authority,
      { limit: 1000 },
    ]);
    const counts = new Map<string, number>();
    for (const { memo } of listed) if (memo !== null) counts.set(memo, (counts.get(memo) ?? 0) + 1);
    return counts;
  }
});
