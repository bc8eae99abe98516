import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClockSession } from '../faults/clock-session.js';
import { fsckClean } from '../instance/fsck.js';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';

const MARKER = 'marker-of-a-person-4711';
const LOG_KEPT_MS = 31 * 86_400_000;

interface Packaged {
  readonly erased?: boolean;
  readonly opened: object;
  readonly event: { readonly eventId: string };
}

function filesWith(folder: string, marker: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => readFileSync(join(folder, name)).includes(marker));
}

onEachProfile('content that is erased', (start, profile) => {
  let instance: Instance;
  let session: { readonly authorization: string };
  let agentId: string;
  let eventId: string;
  const clock = openClockSession(mkdtempSync(join(tmpdir(), 'countersign-erasure-')));
  const ask = (method: string, path: string, body?: unknown) =>
    instance.request(method, path, { headers: session, ...(body === undefined ? {} : { body }) });

  /** Issues a report on all events of the agent. */
  async function issue(format: 'json' | 'pdf'): Promise<{ readonly id: string; readonly headers: object }> {
    const { status, headers, text } = await ask('POST', '/v1/events/export-signed', {
      ...{ agentIds: [agentId], format, frameworks: ['soc2'] },
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return { id: String(headers['x-report-id']), headers };
  }

  beforeAll(async () => {
    instance = await start({ env: profile === 'embedded' ? clock.env : {} });
    session = await instance.session();
    agentId = ((await ask('POST', '/v1/agents', { name: 'forgetful agent' })).json as { id: string }).id;
    await ask('PATCH', `/v1/agents/${agentId}/profile`, { store_payload: true });
    const action = { type: 'tool_use', tool_name: 'crm.lookup', metadata: { of: MARKER }, payload: { of: MARKER } };
    const checked = await instance.check(action, { agentId, headers: { 'idempotency-key': 'kept-for-a-day' } });
    expect(checked.status).toBe(200);
    eventId = String(checked.headers['x-event-id']);
    for (let n = 0; n < 3; n += 1) await instance.check({ type: 'tool_use', tool_name: `other.${n}` }, { agentId });
  }, 120_000);
  afterAll(() => instance.discard());

  it('is in no package, list or look-up once the erasure is answered, and stays proven', async () => {
    const json = await issue('json');
    const pdf = await issue('pdf');
    const before = (await ask('GET', `/v1/reports/${json.id}`)).text;
    expect(before).toContain(MARKER);
    await ask('PATCH', `/v1/reports/${json.id}`, { public: true });
    const shared = (await ask('POST', `/v1/reports/${json.id}/shares`, { expiresIn: 3600 })).json as { url: string };
    const byLink = () => instance.request('GET', new URL(shared.url).pathname);
    expect((await byLink()).text).toBe(before);

    const opening = async (): Promise<string[]> => {
      const { reports } = (await ask('GET', `/v1/reports?opens=${eventId}`)).json as { reports: { id: string }[] };
      return reports.map(({ id }) => id);
    };
    expect(await opening()).toEqual([pdf.id, json.id]);
    const reason = `?reason=${encodeURIComponent('request 17 & its annex')}`;
    expect((await ask('DELETE', `/v1/events/${eventId}/content${reason}`)).status).toBe(204);
    expect((await ask('DELETE', `/v1/events/${eventId}/content?reason=another`)).status).toBe(204);
    expect(await opening()).toEqual([]);
    for (const { id } of [json, pdf]) {
      const gone = await ask('GET', `/v1/reports/${id}`);
      expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('withdrawn: content')]);
    }
    const read = await byLink();
    expect([read.status, read.json]).toEqual([404, { error: 'no link is valid with this token' }]);
    const asPdf = { headers: { ...session, accept: 'application/pdf' } };
    expect((await instance.request('GET', `/v1/reports/${pdf.id}`, asPdf)).status).toBe(404);
    const pdfSha256 = String((pdf.headers as Record<string, unknown>)['x-pdf-sha256']);
    for (const path of [`/v1/reports/by-pdf-sha256/${pdfSha256}`, `/v1/reports/${json.id}/public`]) {
      const answer = await eventually(`${path} is withdrawn`, 60, async () => {
        const { status, text } = await instance.request('GET', path);
        return status === 404 && text.includes('withdrawn') ? text : null;
      });
      expect(answer).toContain('withdrawn');
    }
    const listed = await ask('GET', `/v1/events?agentId=${agentId}`);
    expect(listed.text).not.toContain(MARKER);
    const { events } = listed.json as { events: { type: string; action: unknown }[] };
    expect(events.filter(({ type }) => type === 'content.erased').map(({ action }) => action)).toEqual([
      expect.objectContaining({ by: expect.objectContaining({ kind: 'user' }), reason: 'request 17 & its annex' }),
    ]);

    const held = JSON.parse(before) as object;
    const verified = await instance.request('POST', '/v1/inclusion/verify', { body: { package: held } });
    expect(verified.json).toMatchObject({ ok: true });
    const after = await ask('GET', `/v1/reports/${(await issue('json')).id}`);
    expect(after.text).not.toContain(MARKER);
    const entry = (after.json as { events: Packaged[] }).events.find(({ event }) => event.eventId === eventId);
    expect(entry).toMatchObject({ erased: true, opened: {} });
  }, 120_000);

  it('needs a reason of some characters, and says of an unknown event that it is none', async () => {
    expect((await ask('DELETE', `/v1/events/${eventId}/content?reason=%20`)).status).toBe(400);
    expect((await ask('DELETE', `/v1/events/${eventId}/content?reason=${'x'.repeat(501)}`)).status).toBe(400);
    expect((await ask('GET', `/v1/reports?opens=${agentId}`)).status).toBe(404);
    expect((await ask('GET', '/v1/reports?opens=none')).status).toBe(400);
  });

  it('answers a repetition of the check as before, without its content', async () => {
    const action = { type: 'tool_use', tool_name: 'crm.lookup', metadata: { of: MARKER }, payload: { of: MARKER } };
    const again = await instance.check(action, { agentId, headers: { 'idempotency-key': 'kept-for-a-day' } });
    expect([again.headers['x-event-id'], again.json]).toEqual([eventId, expect.objectContaining({ allowed: true })]);
    expect(again.text).not.toContain(MARKER);
  });

  it('stays while a legal hold keeps it, with the reports that open it, and goes once that is released', async () => {
    const checked = await instance.check({ type: 'tool_use', tool_name: 'kept.1' }, { agentId });
    const path = `/v1/events/${String(checked.headers['x-event-id'])}/content`;
    const { id } = await issue('json');
    const placed = await ask('POST', '/v1/legal-holds', { name: 'Case 1', reason: 'counsel', agents: [agentId] });
    // An erasure of before may still be carried out where the archive is behind.
    const state = expect.stringMatching(/^(?:settling|in_force)$/);
    expect([placed.status, placed.json]).toEqual([201, expect.objectContaining({ state })]);
    const refused = await ask('DELETE', path);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('Case 1')]);
    expect((await ask('GET', `/v1/reports/${id}`)).text).toContain('kept.1');
    const hold = (placed.json as { id: string }).id;
    expect((await ask('POST', `/v1/legal-holds/${hold}/release`, { reason: 'closed' })).status).toBe(200);
    expect((await ask('DELETE', path)).status).toBe(204);
    expect((await ask('GET', `/v1/reports/${id}`)).status).toBe(404);
    await eventually('both events of the hold are listed', 30, async () => {
      const { events } = (await ask('GET', '/v1/events?kind=account&limit=20')).json as { events: { type: string }[] };
      const [released, placed] = events.filter(({ type }) => type.startsWith('account.legal_hold_'));
      return released?.type.endsWith('_released') === true && placed?.type.endsWith('_placed') === true ? true : null;
    });
  }, 90_000);

  const embedded = profile === 'embedded' ? it : it.skip;
  embedded(
    'is in the event log until its retention period has passed, and then in no file',
    async () => {
      expect((await instance.stop()).code).toBe(0);
      expect(filesWith(instance.dataDir, MARKER)).toEqual(['log.db']);
      await fsckClean(instance.installation);
      clock.step(LOG_KEPT_MS);
      instance = await instance.startAgain({ env: clock.env });
      await eventually('the log has removed it', 60, async () =>
        filesWith(instance.dataDir, MARKER).some((name) => name === 'log.db') ? null : true,
      );
      expect((await instance.stop()).code).toBe(0);
      expect(filesWith(instance.dataDir, MARKER)).toEqual([]);
    },
    120_000,
  );
});
