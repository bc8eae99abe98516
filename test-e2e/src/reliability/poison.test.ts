import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { fsck } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { allAnchored } from './anchors.js';
import { Scratch } from './scratch.js';

const DEEP = `${'['.repeat(5000)}${']'.repeat(5000)}`;

/** Values that are not events. */
const POISON: readonly string[] = [
  'no JSON',
  '{"v":1}',
  '{"v":2,"leaf":{}}',
  DEEP,
  JSON.stringify({ v: 1, text: 'x'.repeat(2 * 1024 * 1024) }),
  '{"v":1,"v":1}',
];

/** Appends records to `agent-events` in the log of a stopped instance, like its own writer. */
function append(dataDir: string, values: readonly string[]): void {
  const log = new Database(join(dataDir, 'log.db'));
  const last = log
    .prepare<[], { offset: number; at: number }>(
      'SELECT max(record_offset) AS offset, max(appended_at) AS at FROM topic_agent_events',
    )
    .get()!;
  for (const [i, value] of values.entries()) {
    const offset = last.offset + 1 + i;
    const checksum = crc32(value, crc32(`${offset} ${last.at} poison`));
    log
      .prepare('INSERT INTO topic_agent_events VALUES (?, ?, ?, ?, ?)')
      .run(offset, last.at, 'poison', checksum, value);
  }
  log.close();
}

describe('invalid records in the topic of events', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.discard());

  it('are dead-lettered with their coordinates by every reader, and everything else continues', async () => {
    const first = await scratch.start();
    const session = await first.session();
    expect((await first.check({ type: 'http_call' })).status).toBe(200);
    await first.stop();
    const event = lastEvent(scratch.dataDir);
    append(scratch.dataDir, POISON);
    // The same event once more: a retry in doubt.
    append(scratch.dataDir, [event]);
    expect((await fsck(scratch.dataDir)).lines).toEqual([]);

    const second = await scratch.start();
    expect((await second.check({ type: 'http_call' })).status).toBe(200);
    await eventually('both events are listed', 30, async () => {
      const { json } = await second.request('GET', '/v1/events?type=action.checked', { headers: session });
      return (json as { total: number }).total === 2 ? true : null;
    });
    await allAnchored(second, session, 30);
    expect((await second.request('GET', '/readyz')).status).toBe(200);
    const metrics = await second.request('GET', '/metrics');
    expect(metrics.text).toMatch(/countersign_dead_letters_total\{[^}]*audit-log[^}]*\} 6/);
    expect((await second.stop()).code).toBe(0);
    const { code, lines } = await fsck(scratch.dataDir);
    expect([lines, code]).toEqual([[], 0]);
  }, 90_000);

  function lastEvent(dataDir: string): string {
    const log = new Database(join(dataDir, 'log.db'), { readonly: true });
    const value = log.prepare('SELECT value FROM topic_agent_events ORDER BY record_offset DESC LIMIT 1').pluck().get();
    log.close();
    return value as string;
  }
});
