import { agentId, denied, envelope, eventId } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog, type Answer } from '../testing/running-audit-log.js';

describe('groups of alerts', () => {
  const service = new RunningAuditLog();
  const offLimits = { violation_type: 'off_limits_action', rule: 'off_limits_actions:wire', severity: 'P1' } as const;

  beforeAll(async () => {
    await service.start();
    await service.append(denied(1), envelope(2), denied(3), denied(4, { leaf: offLimits }), denied(5, { agent: 2 }));
    await service.append(denied(6, { agent: 3, accountId: OTHER_ACCOUNT }));
  }, 60_000);
  afterAll(() => service.stop());

  const groups = (who: string | null = 'auditor', query = '') => service.ask(who, `/v1/alerts/groups${query}`);
  const acknowledge = (who: string | null, body?: unknown) => service.ask(who, '/v1/alerts/acknowledge', 'POST', body);

  it('have a count, the times, and the newest event', async () => {
    const { status, body } = await groups();
    expect(status).toBe(200);
    expect(body).toMatchObject({ openCount: 4, acknowledgedAt: null, grouped: 4, place: expect.any(String) });
    expect(body.groups).toHaveLength(3);
    expect(body.groups[2]).toEqual({
      ...{ agentId: agentId(1), outcome: 'denied', violation_type: 'api_not_allowed', rule: 'allowed_apis:' },
      ...{ severity: 'P2', count: 2, firstAt: denied(1).leaf.occurredAt, lastAt: denied(3).leaf.occurredAt },
      newest: expect.objectContaining({ eventId: eventId(3), sequence: 3, rule: 'allowed_apis:' }),
    });
    expect(body.groups[1]).toMatchObject({ ...offLimits, count: 1 });
    expect((await groups('auditor', '?limit=1')).body.groups).toEqual(body.groups.slice(0, 1));
    expect((await groups('stranger')).body).toMatchObject({ openCount: 1, groups: [{ agentId: agentId(3) }] });
  });

  it('are acknowledged up to what was read', async () => {
    const { place } = (await groups()).body;
    await service.append(denied(7));
    expect((await acknowledge('auditor', { upTo: place })).status).toBe(403);
    const done = await acknowledge('member', { upTo: place });
    expect(done).toEqual({ status: 200, body: { openCount: 1, acknowledgedAt: expect.any(String) } });
    expect((await groups()).body).toMatchObject({ openCount: 1, groups: [{ newest: { eventId: eventId(7) } }] });
    expect((await groups('stranger')).body.openCount).toBe(1);
    expect((await acknowledge('member')).body).toMatchObject({ openCount: 0 });
  });

  it('are acknowledged by an event of the account that says who closed how many', async () => {
    const account = '2b0c1f5e-6f0a-4c1d-8a3e-5d7f9b1c2e4a';
    const user = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
    await service.addAccount(account);
    await service.signIn('closer', account, 'admin', user);
    // Nothing is open: no event.
    const empty = { openCount: 0, acknowledgedAt: expect.any(String) };
    expect(await acknowledge('closer')).toEqual({ status: 200, body: empty });
    await service.append(...[8, 9].map((n) => denied(n, { agent: 4, accountId: account })));
    expect((await acknowledge('closer', { note: ' both were tests ' })).body).toMatchObject({ openCount: 0 });
    expect((await groups('closer')).body).toMatchObject({ openCount: 0 });
    await service.append(denied(10, { agent: 4, accountId: account }));
    const { place } = (await groups('closer')).body;
    await service.append(...[11, 12].map((n) => denied(n, { agent: 4, accountId: account })));
    expect((await acknowledge('closer', { upTo: place })).body).toMatchObject({ openCount: 2 });
    // The place is closed already: no event.
    expect((await acknowledge('closer', { upTo: place, note: 'again' })).body).toMatchObject({ openCount: 2 });
    const by = { kind: 'user', id: user };
    const list = (): Promise<Answer> => service.ask('closer', '/v1/events?kind=account');
    let listed = await list();
    for (let tries = 0; listed.body.total < 2 && tries < 600; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      listed = await list();
    }
    expect(listed.body).toMatchObject({
      total: 2,
      events: [
        { type: 'account.alerts_acknowledged', action: { by, alerts: { open: 1, all: false } } },
        {
          type: 'account.alerts_acknowledged',
          action: { by, alerts: { open: 2, all: true }, note: 'both were tests' },
        },
      ],
    });
  });

  it('refuse what is malformed', async () => {
    for (const upTo of ['', 'nothing', 7, Buffer.from('[-1]').toString('base64url'), 'e30']) {
      expect([upTo, (await acknowledge('member', { upTo })).status]).toEqual([upTo, 400]);
    }
    for (const body of [{ other: 1 }, { note: ' ' }, { note: 'x'.repeat(2001) }, { note: null }])
      expect((await acknowledge('member', body)).status).toBe(400);
    expect((await acknowledge(null)).status).toBe(401);
    expect((await groups('auditor', '?limit=0')).status).toBe(400);
    expect((await groups(null)).status).toBe(401);
  });
});
