import { versionedRecord } from '@countersign/topics';
import { anchoredWindow } from '../testing/anchored-window.js';
import { agentId, denied, envelope, eventId } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog } from '../testing/running-audit-log.js';

const SSN = 'CSN-0123-4567-89AB-CDEF';
const TRANSACTION = 'z'.repeat(88);

describe('search', () => {
  const service = new RunningAuditLog();
  const shared = anchoredWindow(1, agentId(1), 1, 2);
  const [own] = shared.agents;
  const window = {
    ...{ ...shared, txSignature: TRANSACTION, agentCount: 2, eventCount: 3 },
    agents: [own!, { ...own!, agentId: agentId(3), count: 1, lastSequence: 1, leafIndex: 1 }],
  };

  beforeAll(async () => {
    await service.start();
    await service.addAgent(agentId(1), undefined, { name: 'Booking clerk', blockchain_ssn: SSN });
    for (let n = 20; n < 40; n += 1) await service.addAgent(agentId(n), undefined, { name: `Bookkeeper ${n}` });
    await service.addAgent(agentId(3), OTHER_ACCOUNT, { name: 'Booking of others', blockchain_ssn: null });
    await service.append(envelope(1), denied(2), envelope(3, { agent: 3, accountId: OTHER_ACCOUNT }));
    await service.context.eventLog.append([versionedRecord('anchors', 'window:1-1:0', 1, window)]);
    await service.eventually(async () => expect(await hits(TRANSACTION)).toHaveLength(1));
  }, 60_000);
  afterAll(() => service.stop());

  const hits = async (q: string, who = 'auditor'): Promise<readonly { kind: string; id: string; label: string }[]> => {
    const { status, body } = await service.ask(who, `/v1/search?q=${encodeURIComponent(q)}`);
    expect(status).toBe(200);
    return body.hits;
  };

  it('finds an event, and an agent by its id, SSN or the beginning of its name', async () => {
    expect(await hits(` ${eventId(2).toUpperCase()} `)).toEqual([
      { kind: 'event', id: eventId(2), label: 'action.checked denied, 2026-03-01T09:30:00.002Z' },
    ]);
    const clerk = { kind: 'agent', id: agentId(1), label: 'Booking clerk' };
    for (const text of [agentId(1), SSN.toLowerCase(), 'BOOKING', 'booking clerk']) {
      expect(await hits(text)).toEqual([clerk]);
    }
    expect(await hits('book')).toHaveLength(10);
    expect(await hits('clerk')).toEqual([]);
  });

  it('finds the first event of each agent in a window, by its root and its transaction', async () => {
    const label = `Booking clerk: events 1 to 2, anchored ${window.anchoredAt}`;
    expect(await hits(window.merkleRoot.toUpperCase())).toEqual([{ kind: 'merkle_root', id: eventId(1), label }]);
    expect(await hits(TRANSACTION)).toEqual([{ kind: 'transaction', id: eventId(1), label }]);
    expect(await hits('ab'.repeat(32))).toEqual([]);
  });

  it('finds nothing of another account', async () => {
    expect(await hits(TRANSACTION, 'stranger')).toMatchObject([{ id: eventId(3) }]);
    expect(await hits('booking', 'stranger')).toMatchObject([{ id: agentId(3) }]);
    for (const text of [eventId(2), agentId(1), SSN]) expect(await hits(text, 'stranger')).toEqual([]);
    for (const text of [eventId(3), agentId(3)]) expect(await hits(text)).toEqual([]);
  });

  it('takes a text of two characters and more, of people who are signed in', async () => {
    expect((await service.ask('auditor', '/v1/search')).body).toEqual({ hits: [] });
    expect(await hits('  ')).toEqual([]);
    for (const q of ['b', 'b'.repeat(201)]) {
      expect((await service.ask('auditor', `/v1/search?q=${q}`)).status).toBe(400);
    }
    expect((await service.ask(null, '/v1/search?q=book')).status).toBe(401);
  });
});
