import { join } from 'node:path';
import type { AgentFacts } from '@countersign/contracts';
import { aheadOfStore, requireLogSince } from '@countersign/service-kit';
import type { Ahead, Owned, RestoreContext, RestoreOptions, Restored } from '@countersign/service-kit';
import type { Agent } from './domain/agent.js';
import type { PolicyStore } from './store/port.js';

/**
 * Takes from the topic `agents` what a store that was put back from an older copy lacks: it holds agents and profiles
 * whole. Totals follow from the log, from the position that is stored with them.
 * @throws TopicDiffers; RestoreRefused where the log no longer holds what follows the copy
 */
export async function restoreFromTopics(context: RestoreContext, { dryRun }: RestoreOptions): Promise<Restored> {
  const store = await context.openStore<PolicyStore>({
    sqlite: async () =>
      new (await import('./store/sqlite.js')).SqlitePolicyStore(join(context.directory, 'policy.sqlite')),
    mongo: async (uri) => (await import('./store/mongo.js')).openMongoPolicyStore(uri),
  });
  try {
    await requireLogSince(context.eventLog, (partition) => store.position(partition));
    const ahead = await aheadOfStore<AgentFacts>(context.eventLog, 'agents', owned(store));
    const adopted: string[] = [];
    for (const told of ahead) {
      const agent = agentOf(told);
      if (agent === null) continue;
      if (!dryRun) await store.adopt(agent);
      const from = told.stored === 0 ? 'unknown' : `revision ${told.stored}`;
      adopted.push(`agent ${told.id}: ${from} → revision ${told.version}, profile ${agent.facts.profile.version}`);
    }
    return { adopted, lost: [] };
  } finally {
    await store.close();
  }
}

/**
 * The record does not say since when an agent is frozen: no later than its last change, and after its last unfreeze.
 * `null`: the record says that it is gone, which no agent ever is.
 */
function agentOf({ id, version, value }: Ahead<AgentFacts>): Agent | null {
  if (value === null) return null;
  const frozenAtMs = value.status === 'frozen' ? Math.max(Date.parse(value.updated_at), value.unfrozenAtMs + 1) : 0;
  return { id, revision: version, facts: value, frozenAtMs };
}

async function* owned(store: PolicyStore): AsyncGenerator<Owned> {
  for await (const { id, revision, facts } of store.all()) yield { id, version: revision, value: facts };
}
