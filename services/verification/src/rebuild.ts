import { join } from 'node:path';
import { RestoreRefused, storedPages, type RestoreContext } from '@countersign/service-kit';
import { definition } from './definition.js';
import { keepFacts } from './follow-facts.js';
import type { PublicFacts } from './store/port.js';

/** Makes the public facts anew, in a directory that has none: each of its topics is compacted and so has them all. */
export async function rebuildFromTopics(context: RestoreContext): Promise<void> {
  const { eventLog, directory } = context;
  const facts = await context.openStore<PublicFacts>({
    sqlite: async () => (await import('./store/sqlite.js')).openSqlitePublicFacts(join(directory, 'public-facts.db')),
    mongo: () => Promise.reject(new RestoreRefused('public facts in MongoDB are not made anew by this command')),
  });
  try {
    for (const topic of definition.reads) {
      for await (const records of storedPages(eventLog, topic)) {
        await keepFacts(facts, { topic, partition: records[0]!.partition, records, endOffset: 0 });
      }
    }
  } finally {
    await facts.close();
  }
}
