import { versionedRecord } from '@countersign/topics';
import { anchoredWindow } from '../testing/anchored-window.js';
import { agentId, envelope, eventId } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog } from '../testing/running-audit-log.js';

describe('the state of anchoring', () => {
  const service = new RunningAuditLog();
  const ask = (who: string | null = 'auditor') => service.ask(who, '/v1/anchoring');

  beforeAll(async () => {
    await service.start();
    for (const n of [1, 2, 4]) await service.addAgent(agentId(n));
    await service.addAgent(agentId(3), OTHER_ACCOUNT);
  }, 60_000);
  afterAll(() => service.stop());

  it('is empty without events', async () => {
    const empty = { events: 0, unanchored: 0, oldestUnanchored: null, newestWindow: null };
    await service.eventually(async () => {
      expect(await ask()).toEqual({ status: 200, body: { cadenceSeconds: 60, ...empty } });
    });
  });

  it('names the oldest event that is not anchored, when it is due, and the newest window of the account', async () => {
    const ofAgent = (n: number, agent: number) => envelope(n, { agent });
    await service.append(ofAgent(1, 1), ofAgent(2, 1), ofAgent(3, 2), ofAgent(4, 1), ofAgent(5, 2), ofAgent(6, 2));
    await service.append(envelope(7, { agent: 3, accountId: OTHER_ACCOUNT }));
    const windows = [anchoredWindow(1, agentId(1), 1, 2), anchoredWindow(2, agentId(2), 1, 1)];
    const others = anchoredWindow(3, agentId(3), 1, 1);
    await service.context.eventLog.append(
      [...windows, others].map((window) => versionedRecord('anchors', `window:${window.windowId}:0`, 1, window)),
    );
    await service.eventually(async () => {
      const { merkleRoot, txSignature, windowStart, windowEnd, anchoredAt } = windows[1]!;
      expect((await ask()).body).toEqual({
        ...{ cadenceSeconds: 60, events: 6, unanchored: 3 },
        oldestUnanchored: {
          ...{ agentId: agentId(1), eventId: eventId(4), sequence: 3, occurredAt: envelope(4).leaf.occurredAt },
          dueBy: '2026-03-01T09:30:01.000Z',
        },
        newestWindow: { merkleRoot, txSignature, windowStart, windowEnd, anchoredAt, blockHeight: 2 },
      });
    });
    expect((await ask('stranger')).body).toMatchObject({
      ...{ events: 1, unanchored: 0, oldestUnanchored: null },
      newestWindow: { txSignature: others.txSignature },
    });
    expect((await ask(null)).status).toBe(401);
  });

  it('goes with whether events and windows are without a gap', async () => {
    const completeness = (query = '', who: string | null = 'auditor') => service.ask(who, `/v1/completeness${query}`);
    const gap = anchoredWindow(4, agentId(2), 3, 3);
    await service.context.eventLog.append([versionedRecord('anchors', 'window:1-4:0', 1, gap)]);
    const whole = { first: 1, last: 3, stored: 3 };
    await service.eventually(async () => {
      const { status, body } = await completeness(`?agentId=${agentId(2).toUpperCase()}`);
      expect([status, body]).toEqual([
        200,
        {
          ...{ total: 1, limit: 10, offset: 0 },
          agents: [{ agentId: agentId(2), ...whole, windows: 2, anchoredThrough: 3, breaks: [{ first: 2, last: 2 }] }],
        },
      ]);
    });
    const { body } = await completeness();
    expect([body.total, body.agents.length]).toEqual([3, 3]);
    expect(body.agents).toContainEqual({ agentId: agentId(1), ...whole, windows: 1, anchoredThrough: 2, breaks: [] });
    const none = { first: 0, last: 0, stored: 0, windows: 0, anchoredThrough: 0, breaks: [] };
    expect(body.agents).toContainEqual({ agentId: agentId(4), ...none });
    expect((await completeness('?limit=1&offset=1')).body.agents).toEqual([body.agents[1]]);
    expect((await completeness('', 'stranger')).body).toMatchObject({ total: 1, agents: [{ agentId: agentId(3) }] });
    expect((await completeness(`?agentId=${agentId(3)}`)).body).toMatchObject({ total: 0, agents: [] });
    for (const query of ['?limit=21', '?limit=0', '?agentId=x']) expect((await completeness(query)).status).toBe(400);
    expect((await completeness('', null)).status).toBe(401);
  });
});
