import { persistently } from '@countersign/test-kit';
import { followLoad } from './follow-load.test-double.js';
import { openMongoPolicyStore } from './open.js';

/** Follows partition 0 from where it stands until it is killed; a line for each batch that is stored. */
const [uri, end, size] = process.argv.slice(2);
const store = await openMongoPolicyStore(uri!);
await persistently(async () => {
  const from = (await store.position(0)) ?? 0;
  await followLoad(store, 0, from, Number(end), Number(size), (next) => process.stdout.write(`${next}\n`));
});
await store.close();
