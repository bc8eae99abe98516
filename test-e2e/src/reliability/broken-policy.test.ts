import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { fsck } from '../instance/fsck.js';
import type { Instance } from '../instance/instance.js';
import type { Bootstrap } from '../instance/first-account.js';
import { send } from '../instance/request.js';
import { Scratch } from './scratch.js';

const NAMED_WITHIN_MS = 40_000;
/** How long it is observed after it has reported the problem. */
const WATCHED_MS = 1_500;

/**
 * Observes an instance that must not become ready and must report the reason: it may end, or stay and refuse.
 * Throws if a check is answered otherwise than with 503, or /readyz with 200.
 */
async function neverServes(instance: Instance, bootstrap: Bootstrap, why: RegExp): Promise<void> {
  const { baseUrl, apiKey, agentId } = bootstrap;
  const request = { headers: { 'x-service-key': apiKey }, body: { agentId, action: { type: 'http_call' } } };
  const began = Date.now();
  let namedAt: number | null = null;
  while (instance.child.exitCode === null && (namedAt === null || Date.now() < namedAt + WATCHED_MS)) {
    const answer = await send(baseUrl, 'POST', '/v1/check', request).catch(() => null);
    if (answer !== null) {
      const { allowed } = answer.json as { readonly allowed?: unknown };
      expect([answer.status, allowed]).toEqual([503, false]);
      const ready = await send(baseUrl, 'GET', '/readyz', {}).catch(() => null);
      expect(ready?.status ?? 503).toBe(503);
    }
    if (namedAt === null && why.test(instance.output)) namedAt = Date.now();
    if (Date.now() > began + NAMED_WITHIN_MS) break;
    await sleep(100);
  }
  expect(instance.output).toMatch(why);
}

describe('a policy that cannot be trusted', () => {
  let scratch: Scratch;
  let bootstrap: Bootstrap;
  const PORT = 20_000 + (process.pid % 20_000);
  const env = { COUNTERSIGN_PORT: String(PORT) };

  beforeEach(async () => {
    scratch = new Scratch();
    const instance = await scratch.start({ env });
    expect((await instance.check({ type: 'http_call' })).text).toBe('{"allowed":true}');
    bootstrap = instance.bootstrap;
    expect((await instance.stop()).code).toBe(0);
  }, 90_000);
  afterEach(() => scratch.discard());

  const restart = (): Promise<Instance> => scratch.start({ env, wait: false });

  it('is never served from a damaged file, which is reported', async () => {
    const file = openSync(join(scratch.dataDir, 'policy/policy.sqlite'), 'r+');
    writeSync(file, Buffer.alloc(3000, 0xa5), 0, 3000, 100);
    closeSync(file);
    await neverServes(await restart(), bootstrap, /policy\.sqlite/);
  }, 90_000);

  it('is never served from an altered row, whose file is reported', async () => {
    const store = new Database(join(scratch.dataDir, 'policy/policy.sqlite'));
    store.exec(`UPDATE doc_agents SET body = json_set(body, '$.facts.profile.mode', 'observe')`);
    store.close();
    await neverServes(await restart(), bootstrap, /policy\.sqlite/);
  }, 90_000);

  it.each([
    ['is not JSON', '{"v":1,'],
    ['has no profile', JSON.stringify({ v: 1, id: 'KEY', version: 1000, value: { status: 'active' } })],
  ])(
    'is never served after a message of topic agents that %s; it is not dead-lettered',
    async (_title, text) => {
      const log = new Database(join(scratch.dataDir, 'log.db'));
      const { offset, at } = log
        .prepare<[], { offset: number; at: number }>(
          'SELECT max(record_offset) + 1 AS offset, max(appended_at) AS at FROM topic_agents',
        )
        .get()!;
      const key = bootstrap.agentId;
      const value = text.replace('KEY', key);
      const checksum = crc32(value, crc32(`${offset} ${at} ${key}`));
      log.prepare('INSERT INTO topic_agents VALUES (?, ?, ?, ?, ?)').run(offset, at, key, checksum, value);
      const letters = log.prepare('SELECT count(*) FROM topic_dead_letters').pluck();
      expect(letters.get()).toBe(0);
      await neverServes(await restart(), bootstrap, /\bagents\b/);
      expect(letters.get()).toBe(0);
      log.close();
      await scratch.end();
      expect((await fsck(scratch.dataDir)).lines).toContainEqual(expect.stringMatching(/^topics: .*agents/));
    },
    60_000,
  );
});
