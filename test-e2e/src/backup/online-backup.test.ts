import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countersign } from '../instance/command.js';
import { fsckClean } from '../instance/fsck.js';
import { embeddedInstallation } from '../instance/installation.js';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { ProgramProcess } from '../instance/program-process.js';
import { allAnchored } from '../reliability/anchors.js';
import { settled } from '../server-faults/whole.js';
import { statuses, SteadyLoad, stopLoads, type TimedAttempt } from '../server-faults/steady-load.js';
import type { Session } from '../torture/recorded.js';
import { exportReport, verifyReport } from './reports.js';

/** Result of `countersign admin backup --json`. */
interface Backup {
  readonly takenAt: string;
  readonly newestEventAt: string;
}

/** While checks are answered: the first may be taken before much is stored. */
const BACKUPS = 2;
/** Between two changes of profiles and keys: each backup is checked whole, and takes longer the more there is. */
const PAUSE_MS = 50;

describe('a backup of an instance that works', () => {
  let instance: Instance;
  let session: Session;
  let folder: string;
  beforeAll(async () => {
    instance = await Instance.start();
    session = await instance.session();
    folder = dirname(instance.dataDir);
  }, 90_000);
  afterEach(() => stopLoads());
  afterAll(() => instance.discard());

  const backUp = (target: string) => countersign(['admin', 'backup', target, '--json'], instance.installation.env);

  it('has every check that was answered before, and the restored instance continues where it ends', async () => {
    const agentIds = [instance.bootstrap.agentId, await newAgent(instance, session), await newAgent(instance, session)];
    for (let i = 0; i < 10; i += 1) expect((await instance.check({ type: 'tool_use', i })).status).toBe(200);
    await allAnchored(instance, session, 60);
    const report = await exportReport(instance, session, instance.bootstrap.agentId);
    const load = new SteadyLoad(instance, { name: 'backup', perSecond: 150, agentIds });
    expect(await backupAge()).toBe(Infinity);
    const owners = changeOwners(agentIds[1]!);
    const backups: Backup[] = [];
    for (let n = 0; n < BACKUPS; n += 1) {
      const { code, stdout, stderr } = await backUp(join(folder, `backup-${n}`));
      expect([code, stderr]).toEqual([0, '']);
      backups.push(JSON.parse(stdout) as Backup);
    }
    expect(await backupAge()).toBeLessThan(30);
    await owners.stop();
    const attempts = await load.stop();
    expect(statuses(attempts)).toEqual({ 200: attempts.length });

    const last = backups.at(-1)!;
    const cutMs = Date.parse(last.takenAt);
    const before = attempts.filter((attempt) => answeredAt(attempt) < cutMs);
    expect(before.length).toBeGreaterThan(100);
    expect(attempts.length).toBeGreaterThan(before.length);
    expect(cutMs - Date.parse(last.newestEventAt)).toBeLessThan(5_000);

    const drilled = await countersign(['admin', 'restore-drill', join(folder, `backup-${BACKUPS - 1}`), '--json']);
    expect([drilled.code, drilled.stderr]).toEqual([0, '']);
    expect(JSON.parse(drilled.stdout)).toMatchObject({
      takenAt: last.takenAt,
      newestEventAt: last.newestEventAt,
      problems: [],
      verified: expect.stringMatching(/^the report [0-9a-f]{64}$/u),
      seconds: { copy: expect.any(Number), check: expect.any(Number), start: expect.any(Number) },
    });
    const damaged = join(folder, 'backup-0', 'audit-log', 'events.db');
    const bytes = readFileSync(damaged);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(damaged, bytes);
    const refused = await countersign(['admin', 'restore-drill', join(folder, 'backup-0')]);
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringMatching(/audit-log\/events\.db was changed[^]*FAILED: do not rely on this backup/u),
    ]);

    const restored = await Instance.startOn(embeddedInstallation(join(folder, `backup-${BACKUPS - 1}`)));
    try {
      const there = await restored.session();
      const { listed, problems } = await settled(restored, there, before);
      expect(problems).toEqual([]);
      const newest = Math.max(
        ...listed.filter(({ agentId }) => agentId === agentIds[0]).map(({ sequence }) => sequence),
      );
      expect((await restored.check({ type: 'tool_use', metadata: { marker: 'restored' } })).status).toBe(200);
      const after = await settled(restored, there, before);
      expect(after.problems).toEqual([]);
      expect(after.listed.find(({ action }) => action?.metadata?.marker === 'restored')?.sequence).toBe(newest + 1);
      await allAnchored(restored, there, 60);
      await verifyReport(restored, report);
      await restored.stop();
      await fsckClean(restored.installation);
    } finally {
      await restored.kill();
    }
  }, 240_000);

  it('is not put together from several: a store that is ahead of the log is refused, with the remedy', async () => {
    const mixed = join(folder, 'mixed');
    cpSync(join(folder, 'backup-1'), mixed, { recursive: true });
    cpSync(join(folder, 'backup-0', 'log.db'), join(mixed, 'log.db'));
    const { code, stderr } = await countersign(['start'], { COUNTERSIGN_DATA_DIR: mixed, COUNTERSIGN_PORT: '0' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('restore the whole data directory from one backup')]);
  }, 180_000);

  it.each([
    ['SIGKILL', 'running.json'],
    ['SIGKILL', 'verification/public-facts.db'],
    ['SIGTERM', 'running.json'],
  ] as const)(
    'leaves none if it is ended by %s once it has %s',
    async (signal, file) => {
      const load = new SteadyLoad(instance, { name: `${signal}-${file}`, perSecond: 20 });
      const target = join(folder, 'ended');
      const draft = `${target}.incomplete`;
      const command = new ProgramProcess(['admin', 'backup', target], { env: instance.installation.env });
      while (!existsSync(join(draft, file)) && command.runs) await sleep(1);
      const ended = await command.end(signal);
      expect([ended, existsSync(target)]).toEqual([
        signal === 'SIGKILL' ? { code: null, signal } : { code: 1, signal: null },
        false,
      ]);
      if (signal === 'SIGTERM') expect(existsSync(draft)).toBe(false);
      else {
        const env = { COUNTERSIGN_DATA_DIR: draft, COUNTERSIGN_PORT: '0', COUNTERSIGN_ALLOW_CHANGED_INODES: 'true' };
        const started = await countersign(['start'], env);
        expect([started.code, started.stderr]).toEqual([1, expect.stringContaining('is an incomplete backup')]);
      }
      expect((await backUp(target)).code).toBe(0);
      expect([existsSync(target), existsSync(draft)]).toEqual([true, false]);
      rmSync(target, { recursive: true });
      const attempts = await load.stop();
      expect(statuses(attempts)).toEqual({ 200: attempts.length });
    },
    180_000,
  );

  async function backupAge(): Promise<number> {
    const { text } = await instance.request('GET', '/metrics');
    return Number(/^countersign_backup_age_seconds (.*)$/mu.exec(text)?.[1]?.replace('+Inf', 'Infinity'));
  }

  /** Profiles, API keys and reports: what services store and publish. */
  function changeOwners(agentId: string): { stop(): Promise<void> } {
    let stopped = false;
    const run = async (): Promise<void> => {
      for (let n = 0; !stopped; n += 1) {
        const ask = (method: string, path: string, body: object) =>
          instance.request(method, path, { headers: session, body });
        const patched = await ask('PATCH', `/v1/agents/${agentId}/profile`, { off_limits_actions: [`action ${n}`] });
        const made = await ask('POST', '/v1/api-keys', { name: `key ${n}` });
        expect([patched.status, made.status]).toEqual([200, 201]);
        if (n % 10 === 0) await exportReport(instance, session, agentId);
        await sleep(PAUSE_MS);
      }
    };
    const running = run();
    running.catch(() => undefined);
    return {
      async stop() {
        stopped = true;
        await running;
      },
    };
  }
});

/** Wall clock, ms. */
function answeredAt({ sentAt, tookMs }: TimedAttempt): number {
  return performance.timeOrigin + sentAt + tookMs;
}
