import { join } from 'node:path';
import type { AgentFacts, UsageFacts } from '@countersign/contracts';
import { aheadOfStore, newestRecords, requireLogSince } from '@countersign/topics';
import type { RestoreContext, RestoreOptions, Restored } from '@countersign/service-kit';
import type { Ahead, Owned } from '@countersign/topics';
import type { Agent } from './domain/agent.js';
import { CheckFollower } from './follow/check-follower.js';
import { POSITION_KEY } from './domain/usage-records.js';
import { openMongoPolicyStore, openSqlitePolicyStore } from './store/open.js';
import type { PolicyStore } from './store/port.js';

const PAGE = 1000;

/**
 * Copies agents from the topic `agents` that a restored older copy of the store lacks. Totals are counted again from the log,
 * from their stored position up to the one in `usage`, so that what is published next is never behind what was published
 * before.
 * @throws TopicDiffers; RestoreRefused where the log no longer holds what follows the copy
 */
export async function restoreFromTopics(context: RestoreContext, { dryRun }: RestoreOptions): Promise<Restored> {
  const store = await context.openStore<PolicyStore>({
    sqlite: () => openSqlitePolicyStore(join(context.directory, 'policy.sqlite')),
    mongo: openMongoPolicyStore,
  });
  try {
    await requireLogSince(context.eventLog, (partition) => store.position(partition));
    const ahead = await aheadOfStore<AgentFacts>(context.eventLog, 'agents', owned(store));
    const adopted: string[] = [];
    for (const published of ahead) {
      const agent = agentOf(published);
      if (agent === null) continue;
      if (!dryRun) await store.adopt(agent);
      const from = published.stored === 0 ? 'unknown' : `revision ${published.stored}`;
      adopted.push(
        `agent ${published.id}: ${from} → revision ${published.version}, profile ${agent.facts.profile.version}`,
      );
    }
    const events = dryRun ? 0 : await countAgain(context, store);
    return { adopted: events === 0 ? adopted : [...adopted, `totals: ${events} events counted again`], lost: [] };
  } finally {
    await store.close();
  }
}

/** Counts the messages between the copy and the published position. Returns how many there were. */
async function countAgain(context: RestoreContext, store: PolicyStore): Promise<number> {
  const { eventLog } = context;
  const usage = await newestRecords<UsageFacts>(eventLog, 'usage', (key) => !key.startsWith('claim:'));
  const position = usage.get(POSITION_KEY)?.value;
  if (position?.kind !== 'position') return 0;
  // Amounts of skipped actions were returned to the counters when these messages were followed before.
  const counters = { now: async () => context.clock(), giveBackHeld: async () => undefined };
  const follower = new CheckFollower({ ...context, counters }, store, { announce: async () => undefined });
  let messages = 0;
  for (const [name, until] of Object.entries(position.offsets)) {
    const partition = Number(name);
    for (let from = (await store.position(partition)) ?? 0; from < until;) {
      const read = await eventLog.read('agent-events', partition, from, Math.min(PAGE, until - from));
      const records = read.filter(({ offset }) => offset < until);
      const last = records.at(-1);
      if (last === undefined) break;
      await follower.handle({ topic: 'agent-events', partition, records, endOffset: until });
      messages += records.length;
      from = last.offset + 1;
    }
  }
  await store.raiseUsage(new Map([...usage].map(([key, { version }]) => [key, version])));
  return messages;
}

/**
 * The record does not say when an agent was frozen: at its last change at the latest, and after its last unfreeze.
 * `null`: the record says that the agent was removed, which never happens.
 */
function agentOf({ id, version, value }: Ahead<AgentFacts>): Agent | null {
  if (value === null) return null;
  const frozenAtMs = value.status === 'frozen' ? Math.max(Date.parse(value.updated_at), value.unfrozenAtMs + 1) : 0;
  return { id, revision: version, facts: value, frozenAtMs };
}

async function* owned(store: PolicyStore): AsyncGenerator<Owned> {
  for await (const { id, revision, facts } of store.all()) yield { id, version: revision, value: facts };
}
