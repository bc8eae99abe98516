import { versionedRecord } from '@countersign/topics';
import { anchoredWindow } from '../testing/anchored-window.js';
import { agentId, denied, envelope, other } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog } from '../testing/running-audit-log.js';

const HOUR = 3_600_000;
const NINE = Date.parse('2026-03-01T09:00:00.000Z');
const at = (hours: number): { readonly occurredAtMs: number } => ({ occurredAtMs: NINE + hours * HOUR + 60_000 });

describe('numbers of checks', () => {
  const service = new RunningAuditLog();

  beforeAll(async () => {
    await service.start();
    for (const n of [1, 2]) await service.addAgent(agentId(n));
    await service.addAgent(agentId(3), OTHER_ACCOUNT);
    await service.append(
      ...[envelope(1, at(0)), denied(2, at(0)), envelope(3, at(2)), other(4, 'agent.frozen', at(2))],
      denied(5, { ...at(2), leaf: { outcome: 'allowed', allowed: true } }),
      envelope(6, { ...at(1), agent: 2 }),
      envelope(7, { ...at(1), agent: 3, accountId: OTHER_ACCOUNT }),
    );
    const window = anchoredWindow(1, agentId(1), 1, 3);
    await service.context.eventLog.append([versionedRecord('anchors', 'window:1-1:0', 1, window)]);
    await service.eventually(async () => {
      const { body } = await stats('agents');
      expect(body.agents[0]).toMatchObject({ anchoredThrough: 3 });
    });
  }, 60_000);
  afterAll(() => service.stop());

  const range = 'from=2026-03-01T09:10:00Z&to=2026-03-01T11:30:00Z';
  const stats = (what: string, query = range, who: string | null = 'auditor') =>
    service.ask(who, `/v1/stats/${what}?${query}`);

  it('are in whole steps, by outcome, violation or agent', async () => {
    const { status, body } = await stats('checks');
    expect([status, body]).toEqual([
      200,
      {
        ...{ from: '2026-03-01T09:00:00.000Z', to: '2026-03-01T12:00:00.000Z', step: 3600 },
        asOf: '2026-03-01T11:01:00.000Z',
        series: [
          { key: 'allowed', total: 4, counts: [1, 1, 2] },
          { key: 'denied', total: 1, counts: [1, 0, 0] },
        ],
        other: null,
      },
    ]);
    const violations = await stats('checks', `${range}&by=violation_type`);
    expect(violations.body.series).toEqual([{ key: 'api_not_allowed', total: 2, counts: [1, 0, 1] }]);
    const agents = await stats('checks', `${range}&by=agent&top=1`);
    expect(agents.body).toMatchObject({ series: [{ key: agentId(1), counts: [2, 0, 2] }], other: [0, 1, 0] });
    const one = await stats('checks', `${range}&agentId=${agentId(2).toUpperCase()}`);
    expect(one.body.series).toEqual([{ key: 'allowed', total: 1, counts: [0, 1, 0] }]);
    const rules = await stats('checks', `${range}&by=rule`);
    expect(rules.body.series).toEqual([{ key: 'allowed_apis:', total: 2, counts: [1, 0, 1] }]);
    const ofTwo = await stats('checks', `${range}&by=rule&agentId=${agentId(2)}`);
    expect(ofTwo.body.series).toEqual([]);
    const days = await stats('checks', `${range}&step=86400`);
    expect(days.body).toMatchObject({ from: '2026-03-01T00:00:00.000Z', series: [{ counts: [4] }, { counts: [1] }] });
  });

  it('are in steps of a minute and of five, for each agent as well', async () => {
    const minutes = 'from=2026-03-01T09:00:30Z&to=2026-03-01T09:02:30Z&step=60';
    const { body } = await stats('checks', minutes);
    expect([body.from, body.to]).toEqual(['2026-03-01T09:00:00.000Z', '2026-03-01T09:03:00.000Z']);
    expect(body.series).toEqual([
      { key: 'allowed', total: 1, counts: [0, 1, 0] },
      { key: 'denied', total: 1, counts: [0, 1, 0] },
    ]);
    const agents = await stats('checks', 'from=2026-03-01T10:00:00Z&to=2026-03-01T10:10:00Z&step=300&by=agent');
    expect(agents.body.series).toEqual([{ key: agentId(2), total: 1, counts: [1, 0] }]);
    const rules = await stats('checks', `${minutes}&by=rule`);
    expect(rules.body.series).toEqual([{ key: 'allowed_apis:', total: 1, counts: [0, 1, 0] }]);
    const own = await stats('checks', 'from=2026-03-01T10:00:00Z&to=2026-03-01T10:10:00Z&step=60', 'stranger');
    expect(own.body.series).toMatchObject([{ key: 'allowed', total: 1 }]);
  });

  it('are of each agent, with how far it is anchored', async () => {
    const { status, body } = await stats('agents');
    expect([status, body.total, body.limit, body.offset]).toEqual([200, 2, 50, 0]);
    expect(body.agents[0]).toEqual({
      ...{ agentId: agentId(1), checks: 4, denied: 1, observed: 1, lastEventAt: '2026-03-01T11:01:00.000Z' },
      ...{ lastSequence: 5, anchoredThrough: 3, spark: expect.any(Array) },
    });
    expect(body.agents[0].spark.filter((count: number) => count > 0)).toEqual([2, 2]);
    expect(body.agents[1]).toMatchObject({ agentId: agentId(2), checks: 1, denied: 0, anchoredThrough: 0 });
    const second = await stats('agents', `${range}&sort=denied&limit=1&offset=1`);
    expect(second.body.agents).toMatchObject([{ agentId: agentId(2) }]);
    expect((await stats('agents', '')).body.agents[0]).toMatchObject({ checks: 0 });
  });

  it('are of the account alone', async () => {
    expect((await stats('checks', range, 'stranger')).body.series).toEqual([
      { key: 'allowed', total: 1, counts: [0, 1, 0] },
    ]);
    expect((await stats('checks', `${range}&agentId=${agentId(3)}`)).body.series).toEqual([]);
    expect((await stats('agents', range, 'stranger')).body).toMatchObject({
      total: 1,
      agents: [{ agentId: agentId(3) }],
    });
    for (const what of ['checks', 'agents']) expect((await stats(what, range, null)).status).toBe(401);
  });

  it('refuse ranges that are empty, too long or none', async () => {
    for (const query of [
      ...['from=x', 'from=2026-02-30T00:00:00Z', 'from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z'],
      ...[
        'from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
        'step=120',
        'by=user',
        'from=2026-03-01T00:00:00Z&to=2026-03-03T00:00:00Z&step=60',
        'top=13',
        'agentId=x',
      ],
    ]) {
      expect([query, (await stats('checks', query)).status]).toEqual([query, 400]);
    }
    for (const query of ['from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z', 'sort=name', 'limit=0']) {
      expect([query, (await stats('agents', query)).status]).toEqual([query, 400]);
    }
  });
});
