import { copyDatabase, putBack } from '#infra/copy-database.js';
import { allAnchored } from '../reliability/anchors.js';
import { distributedInstallation, missingServers } from '../instance/distributed.js';
import { fsckClean } from '../instance/fsck.js';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';
import { settled } from '../server-faults/whole.js';
import { SteadyLoad } from '../server-faults/steady-load.js';
import type { Attempt } from '../torture/load.js';
import type { Session } from '../torture/recorded.js';
import { authorityOf, exportReport, memosSaidTwice, verifyReport, type Report } from './reports.js';

const missing = missingServers();
const onServers = missing.length === 0 ? describe : describe.skip;
const ANCHORED_S = 60;

onServers(`MongoDB put back from an older copy${missing.length === 0 ? '' : `, needs ${missing.join(', ')}`}`, () => {
  let instance: Instance;
  let session: Session;
  const attempts: Attempt[] = [];
  const created: { agents: string[]; reports: Report[]; apiKeys: { id: string; key: string }[] } = {
    agents: [],
    reports: [],
    apiKeys: [],
  };

  beforeAll(async () => {
    instance = await Instance.startOn(await distributedInstallation());
    session = await instance.session();
    // Some work, then a copy.
    await changes('blocked before the copy');
    const mongo = String(instance.installation.env['MONGODB_URI']);
    const copy = await copyDatabase(mongo);
    await changes('blocked after the copy');
    expect((await ask('DELETE', `/v1/api-keys/${created.apiKeys[0]!.id}`)).status).toBe(204);
    const [email, password] = ['guest@example.com', 'a long password of a guest'];
    expect((await ask('POST', '/v1/users', { email, password, role: 'member' })).status).toBe(201);
    expect((await instance.request('POST', '/v1/auth/login', { body: { email, password } })).status).toBe(200);
    await instance.stop();
    await putBack(mongo, copy);
  }, 300_000);
  afterAll(() => instance?.discard(), 60_000);

  const ask = (method: string, path: string, body?: object) =>
    instance.request(method, path, { headers: session, ...(body === undefined ? {} : { body }) });
  const profileOf = async (agentId: string) => (await ask('GET', `/v1/agents/${agentId}/profile`)).json;

  /** Creates a profile change, a frozen agent, an API key, some checks, and a report once they are anchored. */
  async function changes(blocked: string): Promise<void> {
    const { agentId } = instance.bootstrap;
    const load = new SteadyLoad(instance, { name: blocked, perSecond: 20 });
    const patched = await ask('PATCH', `/v1/agents/${agentId}/profile`, { off_limits_actions: [blocked] });
    expect(patched.status).toBe(200);
    const frozen = await newAgent(instance, session, { spending_limit: 7 });
    expect((await ask('POST', `/v1/agents/${frozen}/freeze`, {})).status).toBe(200);
    created.agents.push(frozen);
    const made = await ask('POST', '/v1/api-keys', { name: blocked });
    expect(made.status).toBe(201);
    created.apiKeys.push(made.json as { id: string; key: string });
    await eventually('some checks', 30, async () => (load.attempts.length > 50 ? true : null));
    attempts.push(...(await load.stop()));
    await allAnchored(instance, session, ANCHORED_S);
    created.reports.push(await exportReport(instance, session, agentId));
  }

  it('is refused with its name, and nothing is served', async () => {
    instance = await instance.startAgain({ wait: false });
    const { baseUrl } = instance.installation;
    const refusing = await eventually('it says why', 60, async () => {
      const answer = await fetch(`${baseUrl}/readyz`).catch(() => null);
      const { waitingFor: reasons = [] } = ((await answer?.json()) ?? {}) as { waitingFor?: readonly string[] };
      const refused = reasons.filter((reason) => reason.includes('countersign admin restore'));
      const names = [...new Set(refused.map((reason) => reason.split(':')[0]))].sort();
      return names.length === 4 ? names : null;
    });
    expect(refusing).toEqual(['anchoring', 'identity', 'policy', 'reporting']);
    await instance.stop();
  }, 120_000);

  it('is brought up to the published state, and unpublished losses are named', async () => {
    const dry = await instance.command('admin', 'restore', '--dry-run');
    expect([dry.code, dry.stderr]).toEqual([2, '']);
    const { code, stdout, stderr } = await instance.command('admin', 'restore');
    expect([code, stderr.match(/^refused.*$/mu)]).toEqual([2, null]);
    expect(stdout).toMatch(/^anchoring {3}\d+ windows cut again where they were cut$/mu);
    for (const named of [
      created.agents[1],
      created.apiKeys[1]?.id,
      created.reports[1]?.id,
      `${created.apiKeys[0]?.id} (`,
    ]) {
      expect([dry.stdout, stdout].map((text) => text.includes(String(named)))).toEqual([true, true]);
    }
    expect(stdout).toContain('- user guest@example.com of account');
    expect(stdout).toContain(`- the package of report ${created.reports[1]!.id}`);
  }, 120_000);

  it('continues normally', async () => {
    instance = await instance.startAgain();
    session = await instance.session();
    const { agentId, solanaRpcUrl } = instance.bootstrap;
    expect((await settled(instance, session, attempts)).problems).toEqual([]);
    expect(await profileOf(agentId)).toMatchObject({ off_limits_actions: ['blocked after the copy'] });
    expect((await instance.check({ type: 'blocked after the copy' })).json).toMatchObject({ allowed: false });
    for (const frozen of created.agents) {
      expect(await profileOf(frozen)).toMatchObject({ spending_limit: 7 });
      expect((await instance.check({ type: 'pay' }, { agentId: frozen })).status).toBe(403);
    }
    const withKey = async (key: string) =>
      (await instance.check({ type: 'pay' }, { headers: { 'x-service-key': key } })).status;
    expect([await withKey(created.apiKeys[0]!.key), await withKey(created.apiKeys[1]!.key)]).toEqual([401, 200]);
    const [before, after] = created.reports as [Report, Report];
    const fetched = await ask('GET', `/v1/reports/${before.id}`);
    expect([fetched.status, fetched.text]).toEqual([200, before.text]);
    expect((await ask('GET', `/v1/reports/${after.id}`)).json).toEqual({
      error: expect.stringMatching(/^withdrawn: /u),
    });
    await allAnchored(instance, session, ANCHORED_S);
    for (const report of created.reports) {
      await verifyReport(instance, report);
      const { sha256, signature, timestamp } = JSON.parse(report.text) as Record<string, unknown>;
      const { anchor_tx_signature } = timestamp as { readonly anchor_tx_signature: string };
      const body = { sha256, signature, anchor_tx_signature };
      expect((await instance.request('POST', '/v1/chain/verify', { body })).json).toMatchObject({ confirmed: true });
    }
    expect(await memosSaidTwice(solanaRpcUrl, await authorityOf(instance))).toEqual([]);
    expect((await instance.stop()).code).toBe(0);
    await fsckClean(instance.installation);
  }, 240_000);
});
