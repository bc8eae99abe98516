import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mongoose';
import { mongoOptions } from '@countersign/document-store';
import { dropDatabase } from '@countersign/test-kit';
import { longLog, LONG } from '../testing/long-log.js';
import { reference } from '../testing/reference.js';
import { whatItSays } from '../testing/what-a-store-says.js';
import { openMongoEventStore } from './mongo.js';

const URI = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const APPENDER = fileURLToPath(new URL('../testing/mongo-appender.js', import.meta.url));
const KILLS = 5;

/** Runs the appender, kills it `afterMs` after it has opened the store, and says whether it had come to the end. */
async function storeUntilKilled(uri: string, afterMs: number | null, started: Set<ChildProcess>): Promise<boolean> {
  const child = spawn(process.execPath, [APPENDER, uri], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.add(child);
  let said = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on('data', (text: Buffer) => {
    said += text.toString();
    if (afterMs !== null && timer === undefined) timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  await once(child, 'close');
  clearTimeout(timer);
  started.delete(child);
  return said.endsWith('done\n');
}

(URI === undefined ? describe.skip : describe)(
  'audit-log in MongoDB, killed (needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI)',
  () => {
    const started = new Set<ChildProcess>();
    const uri = URI?.replace(/\/(?=\?|$)/, `/auditlog_${randomBytes(6).toString('hex')}`) ?? '';

    afterAll(async () => {
      for (const child of started) child.kill('SIGKILL');
      const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
      await dropDatabase(connection);
      await connection.close();
    });

    it(`holds after ${KILLS} SIGKILLs what an undisturbed store holds`, async () => {
      let killed = 0;
      for (; killed < KILLS; killed += 1) {
        if (await storeUntilKilled(uri, 20 + Math.random() * 300, started)) break;
      }
      // A kill that comes after the end shows nothing.
      expect(killed).toBeGreaterThan(1);
      expect(await storeUntilKilled(uri, null, started)).toBe(true);
      const store = await openMongoEventStore(uri);
      expect(await whatItSays(store, LONG)).toEqual(await reference(longLog(), LONG));
      await store.close();
    }, 110_000);
  },
);
