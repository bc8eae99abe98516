import type { AgentFacts } from '@countersign/contracts';
import { ACCOUNT, AGENT, events, newest, openBench, parts } from '../policy.test-context.js';
import type { Bench, Parts } from '../policy.test-context.js';
import { killAt } from '../killed.test-double.js';
import { SqlitePolicyStore } from '../store/sqlite.js';
import type { Caller } from './agent-changes.js';

const CALLER: Caller = { accountId: ACCOUNT, actor: { kind: 'user', id: 'u-1' }, apiKeyId: null };
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };
const MOST_LINES = 60;

const changes: readonly (readonly [string, (run: Parts) => Promise<unknown>, (run: Parts) => Promise<unknown>])[] = [
  ['creating', async () => undefined, (run) => run.changes.create(AGENT, CALLER, FIELDS)],
  ['a profile change', created, (run) => run.changes.changeProfile(CALLER, AGENT, { mode: 'observe' })],
  ['freezing', created, (run) => run.changes.freeze(CALLER, AGENT, null)],
  ['unfreezing', frozen, (run) => run.changes.unfreeze(CALLER, AGENT, null)],
  ['deactivating', frozen, (run) => run.changes.deactivate(CALLER, AGENT, null)],
];

function created(run: Parts): Promise<unknown> {
  return run.changes.create(AGENT, CALLER, FIELDS);
}

async function frozen(run: Parts): Promise<unknown> {
  await created(run);
  return run.changes.freeze(CALLER, AGENT, null);
}

describe.each(changes)('killed between any two lines of %s', (_name, before, change) => {
  it.each(['before', 'after'] as const)('%s a line: nothing is lost or told twice', async (moment) => {
    let lines = 0;
    for (let n = 1; n < MOST_LINES; n += 1) {
      const bench = await openBench();
      await before(bench);
      const kill = killAt(n, moment);
      const { store, eventLog, counters, directory } = bench;
      const run = parts(
        { store: kill.wrap(store), eventLog: kill.wrap(eventLog), counters: kill.wrap(counters) },
        directory,
      );
      await change(run).catch(() => undefined);
      const happened = kill.happened;
      await restartedIsWhole(bench);
      await bench.cleanup();
      if (!happened) break;
      lines = n;
    }
    expect(lines).toBeGreaterThan(4);
    expect(lines).toBeLessThan(MOST_LINES - 1);
  });
});

/** A new process on the same files: store, topic, events and counters agree. */
async function restartedIsWhole(bench: Bench): Promise<void> {
  await bench.store.close();
  const store = new SqlitePolicyStore(bench.file);
  const { eventLog, counters, directory } = bench;
  const run = parts({ store, eventLog, counters }, directory);
  await run.announcer.start();
  const agent = await store.find(AGENT);
  const told = (await newest<AgentFacts>(eventLog, 'agents')).get(AGENT);
  expect(told?.version ?? 0).toBe(agent?.revision ?? 0);
  expect(told?.value ?? null).toEqual(agent?.facts ?? null);
  expect((await counters.version('agent', AGENT)) ?? 0).toBe(agent?.revision ?? 0);
  // One event for each revision; a repetition has the same id, and consumers count an id once.
  const ids = new Set((await events(eventLog)).map(({ leaf }) => leaf.eventId));
  expect(ids.size).toBe(agent?.revision ?? 0);
  // The flag may be off while the record is frozen (gateways refuse by either), never on for an active agent.
  if (agent?.facts.status === 'active') expect(await counters.isFrozen(AGENT)).toBe(false);
  expect(run.announcer.problem()).toBeNull();
  await run.announcer.stop();
  await store.close();
}
