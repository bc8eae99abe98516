import { join } from 'node:path';
import type { RestoreContext } from '@countersign/service-kit';
import { storedPages } from '@countersign/topics';
import { definition } from './definition.js';
import { keepFacts } from './follow-facts.js';
import { openMongoPublicFacts, openSqlitePublicFacts } from './store/open.js';
import type { PublicFacts } from './store/port.js';

/** Fills an empty store with the public facts: each of their topics is compacted, so it has them all. */
export async function rebuildFromTopics(context: RestoreContext): Promise<void> {
  const { eventLog, directory } = context;
  const facts = await context.openStore<PublicFacts>({
    sqlite: () => openSqlitePublicFacts(join(directory, 'public-facts.db')),
    mongo: openMongoPublicFacts,
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
