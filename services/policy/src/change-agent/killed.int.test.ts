import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentFacts } from '@countersign/contracts';
import { openSqliteLog } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { killAt } from '@countersign/test-kit';
import { ACCOUNT, events, newest, openBench, parts } from '../policy.test-context.js';
import type { Bench, Parts } from '../policy.test-context.js';
import { openSqlitePolicyStore } from '../store/open.js';
import type { Caller } from './agent-changes.js';

const CALLER: Caller = { accountId: ACCOUNT, actor: { kind: 'user', id: 'u-1' }, apiKeyId: null };
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };
const MOST_LINES = 60;

type Step = (run: Parts, id: string) => Promise<unknown>;

const changes: readonly (readonly [string, Step, Step])[] = [
  ['creating', async () => undefined, (run, id) => run.changes.create(id, CALLER, FIELDS)],
  ['a profile change', created, (run, id) => run.changes.changeProfile(CALLER, id, { mode: 'observe' })],
  ['freezing', created, (run, id) => run.changes.freeze(CALLER, id, null)],
  ['unfreezing', frozen, (run, id) => run.changes.unfreeze(CALLER, id, null)],
  ['registering', created, (run, id) => run.changes.register(CALLER, id, registrationOf(id))],
  ['deactivating', frozen, (run, id) => run.changes.deactivate(CALLER, id, null)],
];

const registrationOf = (id: string) => ({ walletAddress: 'wallet', transactionSignature: `transaction of ${id}` });

function created(run: Parts, id: string): Promise<unknown> {
  return run.changes.create(id, CALLER, FIELDS);
}

async function frozen(run: Parts, id: string): Promise<unknown> {
  await created(run, id);
  return run.changes.freeze(CALLER, id, null);
}

describe.each(changes)('killed between any two lines of %s', (_name, before, change) => {
  let eventLog: EventLog;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'policy-killed-'));
    eventLog = await openSqliteLog({ file: join(directory, 'log.db') });
  });
  afterAll(async () => {
    await eventLog.close();
    rmSync(directory, { recursive: true });
  });

  it.each(['before', 'after'] as const)('%s a line: nothing is lost or published twice', async (moment) => {
    let lines = 0;
    for (let n = 1; n < MOST_LINES; n += 1) {
      const id = randomUUID();
      const bench = await openBench(eventLog);
      await before(bench, id);
      const kill = killAt(n, moment);
      const { store, counters } = bench;
      const run = parts(
        { store: kill.wrap(store), eventLog: kill.wrap(eventLog), counters: kill.wrap(counters) },
        directory,
      );
      await change(run, id).catch(() => undefined);
      const happened = kill.happened;
      await run.announcer.stop();
      await restartedIsWhole(bench, id);
      await bench.cleanup();
      if (!happened) break;
      lines = n;
    }
    expect(lines).toBeGreaterThan(4);
    expect(lines).toBeLessThan(MOST_LINES - 1);
  });
});

/** A new process on the same files: store, topic, events and counters agree. */
async function restartedIsWhole(bench: Bench, id: string): Promise<void> {
  await bench.store.close();
  const store = await openSqlitePolicyStore(bench.file);
  const { eventLog, counters, directory } = bench;
  const run = parts({ store, eventLog, counters }, directory);
  await run.announcer.start();
  const agent = await store.find(id);
  const published = (await newest<AgentFacts>(eventLog, 'agents')).get(id);
  const { chain_tx_signature: transaction = null } = agent?.facts ?? {};
  if (transaction !== null) expect(await store.registeredBy(transaction)).toBe(id);
  else expect(await store.registeredBy(registrationOf(id).transactionSignature)).toBeNull();
  expect(published?.version ?? 0).toBe(agent?.revision ?? 0);
  expect(published?.value ?? null).toEqual(agent?.facts ?? null);
  expect((await counters.version('agent', id)) ?? 0).toBe(agent?.revision ?? 0);
  // One event for each revision; a repetition has the same id, and consumers count an id once.
  const ids = new Set(
    (await events(eventLog))
      .map(({ leaf }) => leaf)
      .filter(({ agentId }) => agentId === id)
      .map(({ eventId }) => eventId),
  );
  expect(ids.size).toBe(agent?.revision ?? 0);
  // The flag may be off while the record is frozen (gateways refuse by either), never on for an active agent.
  if (agent?.facts.status === 'active') expect(await counters.isFrozen(id)).toBe(false);
  expect(run.announcer.problem()).toBeNull();
  await run.announcer.stop();
  await store.close();
}
