import { generateKeyPairSync } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { allAnchored } from '../reliability/anchors.js';
import { countersign } from '../instance/command.js';
import { fsck, fsckClean } from '../instance/fsck.js';
import { Instance } from '../instance/instance.js';
import { listEvents } from '../torture/recorded.js';
import { exportReport, verifyReport, type Report } from './reports.js';

const EVER = '2000-01-01T00:00:00.000Z';

/** The key file of another authority. */
function newKeypair(): string {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return JSON.stringify([...Buffer.from(d!, 'base64url'), ...Buffer.from(x!, 'base64url')]);
}

describe('the data directory of the embedded profile', () => {
  let instance: Instance;
  let copy: string;
  let report: Report;
  beforeAll(async () => {
    instance = await Instance.start();
    copy = join(dirname(instance.dataDir), 'copy');
  }, 90_000);
  afterAll(() => instance.discard());

  it('is restored from a whole copy, in the state of the copy', async () => {
    const session = await instance.session();
    const { agentId } = instance.bootstrap;
    for (let i = 0; i < 10; i += 1) expect((await instance.check({ type: 'tool_use', i })).status).toBe(200);
    await allAnchored(instance, session, 60);
    report = await exportReport(instance, session, agentId);
    const before = (await listEvents(instance, session, EVER)).map(({ eventId }) => eventId);
    await instance.stop();
    cpSync(instance.dataDir, copy, { recursive: true });

    instance = await instance.startAgain();
    const later = await instance.session();
    const blocked = { headers: later, body: { off_limits_actions: ['tool_use'] } };
    expect((await instance.request('PATCH', `/v1/agents/${agentId}/profile`, blocked)).status).toBe(200);
    expect((await instance.check({ type: 'tool_use' })).json).toMatchObject({ allowed: false });
    const online = join(dirname(instance.dataDir), 'online');
    cpSync(instance.dataDir, online, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    const started = await countersign(['start'], { COUNTERSIGN_DATA_DIR: online, COUNTERSIGN_PORT: '0' });
    expect([started.code, started.stderr]).toEqual([1, expect.stringContaining('was copied while an instance ran')]);
    await instance.kill();
    instance = await instance.startAgain();
    await instance.stop();
    rmSync(instance.dataDir, { recursive: true });
    cpSync(copy, instance.dataDir, { recursive: true });

    instance = await instance.startAgain();
    expect((await listEvents(instance, session, EVER)).map(({ eventId }) => eventId)).toEqual(before);
    expect((await instance.check({ type: 'tool_use' })).text).toBe('{"allowed":true}');
    await allAnchored(instance, session, 60);
    await verifyReport(instance, report);
    await instance.stop();
    await fsckClean(instance.installation);
  }, 240_000);

  it('needs no other command, and the command says so', async () => {
    const { code, stderr } = await countersign(['admin', 'restore'], { COUNTERSIGN_DATA_DIR: instance.dataDir });
    expect([code, stderr]).toEqual([1, expect.stringContaining('put its data directory back whole')]);
  }, 30_000);

  it('gets no second authority: a missing one is reported and not created, a replaced one is detected', async () => {
    const file = join(instance.dataDir, 'anchoring', 'authority.json');
    rmSync(file);
    const { code, stderr } = await countersign(['start'], {
      COUNTERSIGN_DATA_DIR: instance.dataDir,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'fatal',
    });
    expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(`${file} is missing`)]]);
    expect(() => readFileSync(file)).toThrow('ENOENT');

    writeFileSync(file, newKeypair());
    const { lines } = await fsck(instance.dataDir);
    expect(lines).toContainEqual(
      expect.stringMatching(/authority\.json: its address is .* is published as an authority/u),
    );
  }, 120_000);
});
