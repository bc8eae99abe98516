import { randomUUID } from 'node:crypto';
import type { LegalHoldRecord } from '@countersign/contracts';
import { agentId, denied, envelope, eventId, other, START } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog, type Answer } from '../testing/running-audit-log.js';

const PEOPLE = '2b0c1f5e-6f0a-4c1d-8a3e-5d7f9b1c2e4a';
const CASE = { name: ' Case 1 ', reason: 'counsel asked for it' };

describe('legal holds', () => {
  const running = new RunningAuditLog();
  let stop = false;
  let acknowledging: Promise<void>;

  beforeAll(async () => {
    await running.start();
    await running.addAgent(agentId(1));
    await running.addAgent(agentId(2));
    await running.addAgent(agentId(3), OTHER_ACCOUNT);
    await running.append(
      envelope(1, { occurredAtMs: START + 1 }),
      envelope(2, { occurredAtMs: START + 60_000 }),
      envelope(3, { agent: 2, occurredAtMs: START + 1 }),
      other(4, 'action.outcome', {
        ...{ occurredAtMs: START + 60_001, refersTo: eventId(1) },
        leaf: { action: null, outcome: 'failed', payload: 'ab'.repeat(32) },
        openings: { payload: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: { why: 'no route to host' } } },
      }),
    );
    // Reporting, which has no packages.
    const peer = await running.context.peer('erasures');
    acknowledging = (async () => {
      while (!stop) {
        await peer.acknowledge((await peer.pending(9)).map((one) => one.eventId));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
  }, 60_000);
  afterAll(async () => {
    stop = true;
    await acknowledging;
    await running.stop();
  });

  const place = (body: object, who = 'admin'): Promise<Answer> => running.ask(who, '/v1/legal-holds', 'POST', body);
  const erase = (id: string): Promise<Answer> => running.ask('admin', `/v1/events/${id}/content`, 'DELETE');
  const release = (id: string, who = 'admin'): Promise<Answer> =>
    running.ask(who, `/v1/legal-holds/${id}/release`, 'POST', { reason: 'the case is closed' });

  it('are placed and released by admins, read by auditors, and not shown to members and other accounts', async () => {
    for (const who of ['member', 'auditor']) expect((await place(CASE, who)).status).toBe(403);
    const placed = await place({ ...CASE, agents: [agentId(2).toUpperCase()] });
    expect(placed.status).toBe(201);
    const hold = placed.body as LegalHoldRecord;
    expect(hold).toMatchObject({ name: 'Case 1', reason: CASE.reason, agents: [agentId(2)], from: null, to: null });
    expect(hold).toMatchObject({ state: 'in_force', released: null });
    expect(hold.placedBy).toEqual({ id: 'user-admin', email: 'admin@example.com' });
    expect((await place(CASE)).status).toBe(409);

    const path = `/v1/legal-holds/${hold.id}`;
    for (const who of ['auditor', 'admin']) {
      expect((await running.ask(who, path)).body).toEqual(hold);
      expect((await running.ask(who, '/v1/legal-holds')).body).toEqual({
        holds: [hold],
        total: 1,
        limit: 50,
        offset: 0,
      });
    }
    for (const at of [path, '/v1/legal-holds']) expect((await running.ask('member', at)).status).toBe(403);
    expect((await running.ask('stranger', path)).status).toBe(404);
    expect((await running.ask('stranger', '/v1/legal-holds')).body).toMatchObject({ holds: [], total: 0 });

    for (const who of ['member', 'auditor']) expect((await release(hold.id, who)).status).toBe(403);
    expect((await release(hold.id, 'stranger')).status).toBe(404);
    const released = await release(hold.id);
    expect([released.status, released.body]).toMatchObject([
      200,
      { state: 'released', released: { by: hold.placedBy, reason: 'the case is closed' } },
    ]);
    expect((await release(hold.id)).status).toBe(409);
  });

  it('refuse a range without a moment in it, and agents that are not the account’s', async () => {
    const [from, to] = ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'];
    expect((await place({ ...CASE, from, to })).body).toEqual({ error: 'from must be before to' });
    expect((await place({ ...CASE, from: '2026-13-01T00:00:00Z' })).status).toBe(400);
    expect((await place({ ...CASE, agents: [agentId(3)] })).status).toBe(404);
    expect((await place({ ...CASE, agents: [] })).status).toBe(400);
    expect((await place({ ...CASE, reason: ' ' })).status).toBe(400);
  });

  it('keep the content of their events, and what refers to these, until they are released', async () => {
    const to = new Date(START + 30_000).toISOString();
    const { body } = await place({ ...CASE, agents: [agentId(1)], to });
    const { id } = body as LegalHoldRecord;
    for (const held of [eventId(1), eventId(4, START + 60_001)]) {
      const refused = await erase(held);
      expect([refused.status, refused.body]).toEqual([409, { error: expect.stringContaining(`"Case 1" (${id})`) }]);
    }
    expect((await erase(eventId(2, START + 60_000))).status).toBe(204);
    expect((await erase(eventId(3, START + 1))).status).toBe(204);
    expect((await running.ask('admin', `/v1/events/${eventId(1)}`)).body).toMatchObject({
      opened: { action: { value: expect.anything() } },
    });
    await release(id);
    expect((await erase(eventId(1))).status).toBe(204);
    // Placed too late for what is erased: a repetition says that it is.
    await place({ ...CASE, agents: [agentId(1)] });
    expect((await erase(eventId(1))).status).toBe(204);
  });

  it('keep a note about a refused check of theirs, which is an event of the account', async () => {
    await running.addAccount(PEOPLE);
    await running.signIn('ana', PEOPLE, 'admin', randomUUID());
    const occurredAtMs = START + 5;
    for (const agent of [5, 6]) {
      await running.addAgent(agentId(agent), PEOPLE);
      await running.append(denied(agent, { agent, accountId: PEOPLE, occurredAtMs }));
    }
    const ask = (method: string, path: string, body?: object): Promise<Answer> =>
      running.ask('ana', path, method, ...(body === undefined ? [] : [body]));
    const eventIds = [eventId(5, occurredAtMs), eventId(6, occurredAtMs)];
    const added = await ask('POST', '/v1/alerts/follow-ups', { eventIds, note: 'the vendor was new' });
    expect(added.status).toBe(201);
    const [ofHeld, ofOther] = (added.body as { followUps: { id: string }[] }).followUps.map(
      ({ id }) => `/v1/events/${id}/content`,
    );
    const hold = { ...CASE, agents: [agentId(5)], to: new Date(START + 30_000).toISOString() };
    const { id } = (await ask('POST', '/v1/legal-holds', hold)).body as LegalHoldRecord;
    const refused = await ask('DELETE', ofHeld!);
    expect([refused.status, refused.body]).toEqual([409, { error: expect.stringContaining(`"Case 1" (${id})`) }]);
    expect((await ask('DELETE', ofOther!)).status).toBe(204);
    await ask('POST', `/v1/legal-holds/${id}/release`, { reason: 'the case is closed' });
    expect((await ask('DELETE', ofHeld!)).status).toBe(204);
  });
});
