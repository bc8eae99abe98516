import { createConnection, type Connection, type mongo } from 'mongoose';
import { distributedInstallation, missingServers } from '../instance/distributed.js';
import { fsck, fsckClean } from '../instance/fsck.js';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';

const missing = missingServers();
const onServers = missing.length === 0 ? describe : describe.skip;

interface Document {
  readonly _id: never;
  readonly [field: string]: unknown;
}

onServers(`fsck of the distributed profile${missing.length === 0 ? '' : `, needs ${missing.join(', ')}`}`, () => {
  let instance: Instance;
  let connection: Connection;
  let reportId = '';

  beforeAll(async () => {
    instance = await Instance.startOn(await distributedInstallation());
    const session = await instance.session();
    for (let i = 0; i < 20; i += 1) expect((await instance.check({ type: 'tool_use', i })).status).toBe(200);
    await eventually('every event is anchored', 60, async () => {
      const { json } = await instance.request('GET', '/v1/events?limit=100', { headers: session });
      const { events } = json as { events: { anchored: boolean }[] };
      return events.length >= 20 && events.every(({ anchored }) => anchored) ? true : null;
    });
    const { agentId } = instance.bootstrap;
    const answer = await instance.request('POST', '/v1/events/export-signed', {
      headers: session,
      body: {
        agentIds: [agentId],
        format: 'json',
        frameworks: ['soc2'],
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    reportId = String(answer.headers['x-report-id']);
    await instance.stop();
    connection = await createConnection(String(instance.installation.env['MONGODB_URI'])).asPromise();
  }, 240_000);

  afterAll(async () => {
    await connection?.close();
    await instance?.discard();
  }, 60_000);

  const collection = (name: string): mongo.Collection<Document> => connection.db!.collection<Document>(name);

  /** Changes one document, found by its members. */
  async function change(name: string, having: object, fields: (document: Document) => object): Promise<void> {
    const document = await collection(name).findOne(having as never);
    if (document === null) throw new Error(`${name} has no such document`);
    await collection(name).updateOne({ _id: document._id }, { $set: fields(document) as never });
  }

  it('is clean after a stop', async () => {
    const { checks, windows } = await fsckClean(instance.installation);
    // These read the embedded profile's tables.
    const skipped = checks.filter((check) => check.skipped !== null);
    expect(skipped.map(({ name }) => name)).toEqual(['repetitions', 'outboxes']);
    expect(windows.anchored).toBeGreaterThan(0);
  }, 120_000);

  it('reports each changed document', async () => {
    const flipped = ({ leaf }: Document): object => ({
      leaf: String(leaf).replace('"allowed":true', '"allowed":false'),
    });
    await change('audit_log_events', { sequence: 5 }, flipped);
    await change('audit_log_events', { sequence: 7 }, () => ({ sequence: 7777 }));
    await change('audit_log_heads', {}, ({ checks }) => ({ checks: Number(checks) + 1 }));
    await change('anchoring_windows', { todo: 'done' }, () => ({ root: 'ab'.repeat(32) }));
    await change('policy_doc_account_totals', {}, ({ body }) => ({
      body: String(body).replace(/"actionsEver":\d+/, (all) => `"actionsEver":${Number(all.split(':')[1]) + 1}`),
    }));
    await change('policy_doc_agents', {}, ({ body }) => ({
      body: String(body).replace(/"name":"[^"]*"/, '"name":"another name"'),
    }));
    await change('reporting_packages.chunks', {}, ({ data }) => {
      const bytes = Buffer.from((data as mongo.Binary).value());
      const at = bytes.indexOf('"soc2"');
      bytes.write('"soc3"', at);
      return { data: bytes };
    });

    const { code, lines } = await fsck(instance.installation);
    expect(code).toBe(1);
    for (const named of [
      /^archive: MongoDB audit_log_events n=.*: the leaf of event .* is not the log's$/,
      /^archive: MongoDB audit_log_events n=.*: sequence 7777, by the log 7$/,
      /^archive figures: MongoDB audit_log_agents .*: its number of checks is not the number of its events$/,
      /^trees: MongoDB anchoring_windows .*: its root (ab)+ is not the one of its agents$/,
      /^usage: MongoDB policy_doc_account_totals .*: actionsEver is 21, the log adds up to 20$/,
      /^topics: MongoDB policy_doc_agents .*: it is not what the topic agents says/,
      new RegExp(`^reports: GridFS reporting_packages/.*\\(report ${reportId}\\): `),
    ]) {
      expect(lines).toContainEqual(expect.stringMatching(named));
    }
  }, 120_000);
});
