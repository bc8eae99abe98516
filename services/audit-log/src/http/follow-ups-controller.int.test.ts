import { randomUUID } from 'node:crypto';
import { denied, envelope, eventId } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog, type Answer } from '../testing/running-audit-log.js';

const PATH = '/v1/alerts/follow-ups';
const ACCOUNT = '2b0c1f5e-6f0a-4c1d-8a3e-5d7f9b1c2e4a';
const PEOPLE = [
  ['of-member', 'member'],
  ['of-admin', 'admin'],
  ['of-auditor', 'auditor'],
] as const;

describe('follow-ups of refused checks', () => {
  const service = new RunningAuditLog();

  beforeAll(async () => {
    await service.start();
    await service.addAccount(ACCOUNT);
    for (const [who, role] of PEOPLE) await service.signIn(who, ACCOUNT, role, randomUUID());
    const of = { accountId: ACCOUNT };
    await service.append(denied(1, of), envelope(2, of), denied(3, of));
    await service.append(denied(4, { agent: 3, accountId: OTHER_ACCOUNT }));
  }, 60_000);
  afterAll(() => service.stop());

  const add = (who: string | null, body: object): Promise<Answer> => service.ask(who, PATH, 'POST', body);
  const list = (who: string, query = ''): Promise<Answer> => service.ask(who, `${PATH}${query}`);

  async function listed(total: number): Promise<Answer> {
    for (let tries = 0; ; tries += 1) {
      const answer = await list('of-auditor');
      if (answer.body.total === total || tries > 600) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  it('are an event of the account for each check, with the note of the person', async () => {
    const eventIds = [eventId(3), eventId(1).toUpperCase(), eventId(3)];
    const { status, body } = await add('of-member', { eventIds, note: ' the vendor was new ' });
    expect(status).toBe(201);
    const about = (id: string): object => ({
      ...{ id: expect.any(String), eventId: id, at: expect.any(String), note: 'the vendor was new' },
      by: { kind: 'user', id: expect.any(String) },
    });
    expect(body).toEqual({ followUps: [about(eventId(3)), about(eventId(1))] });
    const all = await listed(2);
    expect(all.body).toMatchObject({ total: 2, limit: 50, offset: 0 });
    expect(all.body.followUps).toEqual(expect.arrayContaining(body.followUps));
    expect((await list('of-member', `?eventId=${eventId(1)}`)).body).toEqual({
      ...{ followUps: [body.followUps[1]], total: 1, limit: 50, offset: 0 },
    });
    const detail = await service.ask('of-auditor', `/v1/events/${eventId(1)}`);
    expect(detail.body.followUps).toEqual([body.followUps[1]]);
    expect((await service.ask('of-auditor', `/v1/events/${eventId(2)}`)).body.followUps).toEqual([]);
    const recorded = await service.ask('of-auditor', `/v1/events/${body.followUps[0].id}`);
    expect(recorded.body).toMatchObject({
      type: 'account.alert_followed_up',
      refersTo: eventId(3),
      action: { note: 'the vendor was new' },
    });
  });

  it('are added by a second person, and each is listed', async () => {
    expect((await add('of-admin', { eventIds: [eventId(1)], note: 'agreed' })).status).toBe(201);
    await listed(3);
    const notes = (await list('of-auditor', `?eventId=${eventId(1)}`)).body.followUps.map(
      ({ note }: { note: string }) => note,
    );
    expect(notes).toEqual(['agreed', 'the vendor was new']);
    const page = (await list('of-auditor', `?eventId=${eventId(1)}&limit=1&offset=1`)).body;
    expect([page.total, page.followUps.length, page.followUps[0].note]).toEqual([2, 1, 'the vendor was new']);
  });

  it('are counted for several checks at once', async () => {
    const ids = [eventId(3), eventId(1), eventId(2)];
    const { status, body } = await list('of-auditor', `?eventIds=${ids.join(',')}&limit=1`);
    expect([status, body.total, body.followUps.length]).toEqual([200, 3, 1]);
    expect(body.checks).toEqual([
      { eventId: eventId(3), count: 1, latestAt: expect.any(String) },
      { eventId: eventId(1), count: 2, latestAt: expect.any(String) },
      { eventId: eventId(2), count: 0, latestAt: null },
    ]);
    const hundred = Array.from({ length: 100 }, (_id, n) => eventId(n + 1));
    expect((await list('of-auditor', `?eventIds=${hundred.join(',')}`)).body.checks).toHaveLength(100);
    const refused = [
      `?eventIds=${[...hundred, eventId(101)].join(',')}`,
      '?eventIds=',
      `?eventIds=${eventId(1)},`,
      '?eventIds=none',
      `?eventIds=${eventId(1)}&eventId=${eventId(1)}`,
    ];
    for (const query of refused) expect([query, (await list('of-auditor', query)).status]).toEqual([query, 400]);
  });

  it('refuse what is no refused check of the account, as a whole', async () => {
    expect((await add('of-member', { eventIds: [eventId(1), eventId(4)], note: 'x' })).status).toBe(404);
    const allowed = await add('of-member', { eventIds: [eventId(1), eventId(2)], note: 'x' });
    expect([allowed.status, allowed.body.error]).toEqual([400, expect.stringContaining('is no refused check')]);
    const ids = Array.from({ length: 101 }, (_id, n) => eventId(n + 1));
    for (const body of [
      { eventIds: [], note: 'x' },
      { eventIds: ids, note: 'x' },
      { eventIds: [eventId(1)], note: ' ' },
      { eventIds: [eventId(1)] },
      { eventIds: ['none'], note: 'x' },
      { eventIds: [eventId(1)], note: 'x', more: 1 },
    ])
      expect((await add('of-member', body)).status).toBe(400);
    expect((await add('of-auditor', { eventIds: [eventId(1)], note: 'x' })).status).toBe(403);
    expect((await add(null, { eventIds: [eventId(1)], note: 'x' })).status).toBe(401);
    expect((await listed(3)).body.total).toBe(3);
    expect((await list('stranger')).body).toMatchObject({ total: 0, followUps: [] });
    expect((await list('stranger', `?eventId=${eventId(1)}`)).body).toMatchObject({ total: 0, followUps: [] });
  });
});
