import { join } from 'node:path';
import type { RestoreContext } from '@countersign/service-kit';
import { storedPages } from '@countersign/topics';
import { definition } from './definition.js';
import { keepFacts } from './follow-facts.js';
import type { PublicFacts } from './store/port.js';

/** Makes the public facts anew, where there are none: each of its topics is compacted and so has them all. */
export async function rebuildFromTopics(context: RestoreContext): Promise<void> {
  const { eventLog, directory } = context;
  const facts = await context.openStore<PublicFacts>({
    sqlite: async () => (await import('./store/sqlite.js')).openSqlitePublicFacts(join(directory, 'public-facts.db')),
    mongo: async (uri, suffix) => (await import('./store/mongo.js')).openMongoPublicFacts(uri, suffix),
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
