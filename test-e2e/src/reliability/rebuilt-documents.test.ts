import { createConnection, type Connection, type mongo } from 'mongoose';
import { distributedInstallation, missingServers } from '../instance/distributed.js';
import { fsck } from '../instance/fsck.js';
import { Instance } from '../instance/instance.js';
import { ProgramProcess } from '../instance/program-process.js';
import { eventually } from '../instance/request.js';
import { listEvents, type Session } from '../torture/recorded.js';
import { allAnchored } from './anchors.js';
import { EVER } from './scratch.js';

const missing = missingServers();
const onServers = missing.length === 0 ? describe : describe.skip;
const CHECKS = 12;
const ANCHORED_S = 60;

interface Document {
  readonly _id: never;
  readonly [field: string]: unknown;
}
interface Rebuilt {
  readonly file: string;
  readonly aside: string | null;
  readonly refused: string | null;
  readonly lost: readonly string[];
}

onServers(
  `fsck --rebuild of the distributed profile${missing.length === 0 ? '' : `, needs ${missing.join(', ')}`}`,
  () => {
    let instance: Instance;
    let session: Session;
    let connection: Connection;
    let acknowledged: unknown;

    beforeAll(async () => {
      instance = await Instance.startOn(await distributedInstallation());
      session = await instance.session();
      const { agentId } = instance.bootstrap;
      const path = `/v1/agents/${agentId}/profile`;
      const patched = await instance.request('PATCH', path, { headers: session, body: { off_limits_actions: ['no'] } });
      expect(patched.status).toBe(200);
      for (let i = 0; i < CHECKS; i += 1) await instance.check({ type: i % 4 === 0 ? 'no' : 'yes', i });
      await allAnchored(instance, session, ANCHORED_S);
      expect((await instance.request('POST', '/v1/alerts/acknowledge', { headers: session })).status).toBe(200);
      // It is an event too, and fsck needs an idle installation.
      await eventually('the acknowledgement is anchored', ANCHORED_S, async () => {
        const [newest] = await listEvents(instance, session, EVER);
        return newest?.type === 'account.alerts_acknowledged' && newest.anchored ? true : null;
      });
      connection = await createConnection(String(instance.installation.env['MONGODB_URI'])).asPromise();
    }, 240_000);
    afterAll(async () => {
      await connection?.close();
      await instance?.discard();
    }, 60_000);

    const collection = (name: string): mongo.Collection<Document> => connection.db!.collection<Document>(name);
    const names = async (): Promise<readonly string[]> =>
      (await connection.db!.listCollections().toArray()).map(({ name }) => name);
    const rebuild = () => instance.command('fsck', '--rebuild', '--json');
    async function openAlerts(): Promise<unknown> {
      const { json } = await instance.request('GET', '/v1/alerts', { headers: session });
      const { openCount, acknowledgedAt } = json as Record<string, unknown>;
      return { openCount, acknowledgedAt };
    }

    it('replaces nothing while a service of a damaged store runs', async () => {
      expect((await collection('verification_doc_facts').deleteMany({ 'keys.kind': 'key' })).deletedCount).toBe(1);
      const { code, stderr } = await rebuild();
      expect(stderr).toMatch(/MongoDB verification_doc_\* is in use: consumer group .*verification has 1 members/);
      expect(code).toBe(3);
    }, 120_000);

    it('leaves no obstacle when it is killed', async () => {
      acknowledged = await openAlerts();
      expect(acknowledged).toEqual({ openCount: 0, acknowledgedAt: expect.any(String) });
      expect((await instance.stop()).code).toBe(0);
      const command = new ProgramProcess(['fsck', '--rebuild'], { env: instance.installation.env });
      const begun = async () => ((await names()).some((name) => name.includes('.rebuilt-')) ? true : null);
      await eventually('something is made', 60, begun);
      expect(await command.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
      expect(await collection('verification_doc_facts').countDocuments({ 'keys.kind': 'key' })).toBe(0);
    }, 120_000);

    it('rebuilds each damaged projection, and keeps the damaged one', async () => {
      expect((await collection('audit_log_events').deleteOne({ sequence: 5 })).deletedCount).toBe(1);
      await collection('anchoring_windows').updateOne({ todo: 'done' }, { $set: { root: 'ab'.repeat(32) } });
      await collection('policy_doc_agents').updateOne({}, { $set: { body: '{}' } });

      const { code, stdout, stderr } = await rebuild();
      expect([code, stderr]).toEqual([0, '']);
      const { rebuilt } = JSON.parse(stdout) as { rebuilt: readonly Rebuilt[] };
      const files = ['anchoring', 'audit_log', 'policy_doc', 'verification_doc'].map((name) => `MongoDB ${name}_*`);
      expect(rebuilt.map(({ file }) => file)).toEqual(files);
      for (const { file, aside, refused, lost } of rebuilt) {
        expect([refused, lost]).toEqual([null, []]);
        expect(aside?.startsWith(`${file}.damaged-`)).toBe(true);
      }
      const stamp = rebuilt[0]!.aside!.split('*')[1]!;
      expect(await collection(`anchoring_windows${stamp}`).countDocuments({ root: 'ab'.repeat(32) })).toBe(1);
      // Of each store the collections in use, and nothing that the killed command filled.
      const suffixes = (await names()).flatMap((name) => /\.rebuilt-.*$/.exec(name)?.[0] ?? []);
      expect(new Set(suffixes).size).toBe(files.length);
      const left = { $or: [{ making: { $exists: true } }, { leaving: { $exists: true } }] };
      expect(await collection('countersign_generations').countDocuments()).toBe(files.length);
      expect(await collection('countersign_generations').countDocuments(left)).toBe(0);

      instance = await instance.startAgain();
      session = await instance.session();
      expect(await openAlerts()).toEqual(acknowledged);
      for (const type of ['no', 'yes']) {
        expect((await instance.check({ type })).json).toMatchObject({ allowed: type === 'yes' });
      }
      await eventually('the new checks are listed', ANCHORED_S, async () => {
        const listed = await listEvents(instance, session, EVER);
        return listed.filter(({ type }) => type === 'action.checked').length === CHECKS + 2 ? true : null;
      });
      await allAnchored(instance, session, ANCHORED_S);
      expect((await instance.stop()).code).toBe(0);
    }, 240_000);

    it('renames the collections that a killed command had replaced', async () => {
      const generations = collection('countersign_generations');
      const { suffix } = (await generations.findOne({ _id: 'verification' as never }))!;
      const kept = `verification_doc_facts.damaged-20260101T000000Z`;
      await collection('verification_doc_facts').insertOne({ replaced: true } as never);
      const leaving = { suffix: '', stamp: '20260101T000000Z' };
      await generations.updateOne({ _id: 'verification' as never }, { $set: { leaving } });
      expect((await fsck(instance.installation)).code).toBe(0);
      const inUse = `verification_doc_facts${String(suffix)}`;
      expect((await collection(inUse).deleteMany({ 'keys.kind': 'key' })).deletedCount).toBe(1);
      const again = await instance.command('fsck', '--rebuild', '--settled', '--json');
      expect([again.code, again.stderr]).toEqual([0, '']);
      const [ended] = (JSON.parse(again.stdout) as { rebuilt: readonly Rebuilt[] }).rebuilt;
      expect(ended).toMatchObject({ file: 'MongoDB verification_doc_*', refused: null, lost: [] });
      expect(await collection(kept).countDocuments({ replaced: true })).toBe(1);
      expect(await names()).not.toContain('verification_doc_facts');
    }, 120_000);
  },
);
