import { accountStream } from '@countersign/contracts';
import type { EventEnvelope, JsonValue } from '@countersign/contracts';
import { agentId, denied, envelope, eventId, other, traceId } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog } from '../testing/running-audit-log.js';

const [ANNA, BERT] = ['aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'];
const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const act = (id: string): JsonValue => ({ by: { kind: 'user', id }, email: 'someone@example.com', ip: '192.0.2.7' });
const signIn = (n: number, id = ANNA): EventEnvelope => {
  const leaf = { detail: `user:${id}`, outcome: 'succeeded', agentId: accountStream(agentId(9)) };
  return other(n, 'account.sign_in', { v2: true, leaf, openings: { action: { salt: SALT, value: act(id) } } });
};

describe('pages of events without counts', () => {
  const service = new RunningAuditLog();

  beforeAll(async () => {
    await service.start();
    await service.append(envelope(1), denied(2), envelope(3), denied(4, { agent: 3 }), envelope(5));
    await service.append(signIn(27), other(28, 'agent.frozen', { v2: true }), signIn(29, BERT));
    await service.append(denied(6, { agent: 2, accountId: OTHER_ACCOUNT }));
  }, 60_000);
  afterAll(() => service.stop());

  const walk = async (query: string, who = 'auditor'): Promise<string[]> => {
    const ids: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const before: string = next === '' ? '' : `&before=${next}`;
      const { status, body } = await service.ask(who, `/v1/events?${query}${before}`);
      expect([status, Object.keys(body)]).toEqual([200, ['events', 'limit', 'next']]);
      ids.push(...body.events.map(({ eventId: id }: { eventId: string }) => id));
      next = body.next;
    }
    return ids;
  };
  const ids = (...all: number[]): string[] => all.map((n) => eventId(n));

  it('show the content of the trail to admins and auditors, and its leaves to members', async () => {
    const shown = async (who: string): Promise<unknown> => {
      const [list, one, ...exports] = await Promise.all([
        service.ask(who, '/v1/events?kind=account&total=false'),
        service.ask(who, `/v1/events/${eventId(27)}`),
        ...['csv', 'ocsf'].map(async (format) => {
          const headers = service.authorization(who);
          return (await fetch(`${service.address}/v1/events/export?kind=account&format=${format}`, { headers })).text();
        }),
      ]);
      expect(list.body.events.map(({ detail }: { detail: string }) => detail)).toEqual([
        `user:${BERT}`,
        `user:${ANNA}`,
      ]);
      expect(one.body.leaf).toMatchObject({ eventId: eventId(27), detail: `user:${ANNA}` });
      for (const text of exports) expect(text).toContain(eventId(27));
      const listed = list.body.events.map(({ action }: { action: unknown }) => action);
      return [...listed, one.body.opened, ...exports.map((text) => text.includes('192.0.2.7'))];
    };
    const opened = { action: { salt: expect.any(String), value: act(ANNA) } };
    for (const who of ['admin', 'auditor'])
      expect(await shown(who)).toEqual([act(BERT), act(ANNA), opened, true, true]);
    expect(await shown('member')).toEqual([null, null, {}, false, false]);
  });

  it('follow one after the other, and each account has its own', async () => {
    expect(await walk('total=false&limit=2')).toEqual(ids(29, 28, 27, 5, 4, 3, 2, 1));
    expect(await walk(`total=false&limit=1&agentId=${agentId(1)}&outcome=allowed`)).toEqual(ids(5, 3, 1));
    expect(await walk('total=false&outcome=denied&limit=1')).toEqual(ids(4, 2));
    expect(await walk('rule=allowed_apis:&limit=1')).toEqual(ids(4, 2));
    expect(await walk('rule=allowed_apis:', 'stranger')).toEqual(ids(6));
    expect(await walk('rule=none')).toEqual([]);
  });

  it('are of the people of the account, of its agents, or of one person', async () => {
    expect(await walk('total=false&kind=account')).toEqual(ids(29, 27));
    expect(await walk('total=false&kind=agents&limit=4')).toEqual(ids(28, 5, 4, 3, 2, 1));
    expect(await walk(`by=${BERT.toUpperCase()}`)).toEqual(ids(29));
    expect(await walk(`by=${ANNA}&kind=account`)).toEqual(ids(27));
    expect(await walk(`by=${ANNA}`, 'stranger')).toEqual([]);
    const { body } = await service.ask('auditor', '/v1/events?kind=account');
    expect([body.total, body.events[0].action]).toEqual([2, act(BERT)]);
    const one = await service.ask('auditor', `/v1/events/${eventId(29)}`);
    expect([one.status, one.body.detail, one.body.anchored]).toEqual([200, `user:${BERT}`, false]);
  });

  it('are not what a list with counts is', async () => {
    const { body } = await service.ask('auditor', '/v1/events?total=true&limit=1');
    expect(Object.keys(body)).toEqual(['events', 'total', 'limit', 'offset']);
    const exported = await fetch(`${service.address}/v1/events/export?format=csv&rule=allowed_apis:`, {
      headers: service.authorization('auditor'),
    });
    expect((await exported.text()).trim().split('\n')).toHaveLength(3);
  });

  it('refuse places of other lists and what is malformed', async () => {
    const { body } = await service.ask('auditor', '/v1/events?total=false&limit=1');
    for (const query of [
      `before=${body.next}&agentId=${agentId(1)}`,
      `before=${body.next}&offset=1`,
      'before=nothing',
      'before=',
      'total=maybe',
      'rule=',
      'trace=',
      `trace=${traceId(7)}&offset=1`,
      `trace=${traceId(7)}&before=${body.next}`,
      'kind=people',
      'by=anna',
      `before=${body.next}&by=${ANNA}&offset=1`,
    ]) {
      const refused = await service.ask('auditor', `/v1/events?${query}`);
      expect([query, refused.status, Object.keys(refused.body)]).toEqual([query, 400, ['error']]);
    }
    expect((await service.ask(null, '/v1/events?total=false')).status).toBe(401);
  });

  it('have the events of a trace, but not those whose content is erased', async () => {
    const traced = { v2: true, trace: 7 } as const;
    await service.append(envelope(11, traced), denied(12, { agent: 3, ...traced }), envelope(13, { v2: true }));
    await service.append(envelope(14, { agent: 2, accountId: OTHER_ACCOUNT, ...traced }));
    const trace = `trace=${traceId(7)}`;
    expect(await walk(`${trace}&limit=1`)).toEqual(ids(12, 11));
    expect(await walk(`${trace}&agentId=${agentId(3)}`)).toEqual(ids(12));
    expect(await walk(trace, 'stranger')).toEqual(ids(14));
    const exported = await fetch(`${service.address}/v1/events/export?format=csv&${trace}`, {
      headers: service.authorization('auditor'),
    });
    expect((await exported.text()).trim().split('\n')).toHaveLength(3);
    await service.append(other(15, 'content.erased', { refersTo: eventId(11) }));
    expect(await walk(trace)).toEqual(ids(12));
    const { status, body } = await service.ask('auditor', `/v1/events?trace=${'A'.repeat(32)}`);
    expect([status, body.error]).toEqual([400, expect.stringContaining('a trace id: 32 lower-case hex characters')]);
  });
});
