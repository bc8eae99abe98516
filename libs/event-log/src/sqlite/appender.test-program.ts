import { openSqliteLog } from './sqlite-log.js';

/**
 * Appends until it is killed and prints each acknowledged record (writing to a pipe is synchronous): `<offset>
 * <value>`. Argument: the file.
 */
const log = await openSqliteLog({ file: process.argv[2] ?? '' });
const run = `${process.pid}`;
let sent = 0;
process.stdout.write('ready\n');
async function loop(): Promise<void> {
  for (;;) {
    const value = `${run}-${sent++}-${'p'.repeat(sent % 1500)}`;
    const [appended] = await log.append([{ topic: 'agent-events', key: `k${sent % 5}`, value }]);
    process.stdout.write(`${appended?.offset} ${value}\n`);
  }
}
await Promise.all(Array.from({ length: 32 }, loop));
