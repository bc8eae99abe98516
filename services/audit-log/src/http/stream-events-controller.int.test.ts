import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { versionedRecord } from '@countersign/topics';
import type { SessionFacts } from '@countersign/contracts';
import { anchoredWindow } from '../testing/anchored-window.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other } from '../testing/envelopes.js';
import { OTHER_ACCOUNT, RunningAuditLog } from '../testing/running-audit-log.js';

interface Message {
  readonly id: string | null;
  readonly name: string;
  readonly data: ReturnType<typeof JSON.parse>;
}

/** A client of server-sent events that keeps what it is sent. */
class Client {
  #text = '';
  ended = false;

  constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (text: string) => (this.#text += text));
    response.on('close', () => (this.ended = true));
    response.on('error', () => undefined);
  }

  /** Messages so far; comments are left out. */
  messages(name?: string): readonly Message[] {
    const whole = this.#text.split('\n\n').slice(0, -1);
    const read = whole.flatMap((part): Message[] => {
      const fields = new Map(
        part.split('\n').map((line) => [line.split(': ')[0]!, line.slice(line.indexOf(': ') + 2)]),
      );
      const data = fields.get('data');
      if (data === undefined) return [];
      return [{ id: fields.get('id') ?? null, name: fields.get('event') ?? '', data: JSON.parse(data) as unknown }];
    });
    return name === undefined ? read : read.filter((one) => one.name === name);
  }

  ids(): readonly string[] {
    return this.messages('events').flatMap(({ data }) => data.events.map((one: { eventId: string }) => one.eventId));
  }
}

describe('the live feed', () => {
  const service = new RunningAuditLog();
  const opened: Client[] = [];

  beforeAll(async () => {
    await service.start();
    await service.addAgent(agentId(1));
    await service.addAgent(agentId(3), OTHER_ACCOUNT);
  }, 60_000);
  afterEach(async () => {
    opened.splice(0).forEach(({ response }) => response.destroy());
    // The service notices at its next look.
    await new Promise((resolve) => setTimeout(resolve, 700));
  });
  afterAll(() => service.stop());

  const connect = (query = '', who: string | null = 'auditor', lastEventId?: string): Promise<Client> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...service.authorization(who),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      };
      const sent = request(`${service.address}/v1/events/stream${query}`, { headers, agent: false }, (response) => {
        const client = new Client(response);
        opened.push(client);
        resolve(client);
      });
      sent.on('error', reject);
      sent.end();
    });
  const hello = async (...parameters: Parameters<typeof connect>): Promise<Client> => {
    const client = await connect(...parameters);
    await service.eventually(async () => expect(client.messages('inbox')).toHaveLength(1));
    return client;
  };

  it('sends what is stored from now on, of its account and its filter alone, within a second', async () => {
    await service.append(envelope(1));
    const all = await hello();
    const denials = await hello('?outcome=denied');
    const stranger = await hello('', 'stranger');
    expect(all.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    await service.append(envelope(2), denied(3), envelope(4, { agent: 3, accountId: OTHER_ACCOUNT }));
    const begun = performance.now();
    await service.eventually(async () => expect(all.ids()).toEqual([2, 3].map((n) => eventId(n))));
    expect(performance.now() - begun).toBeLessThan(1000);
    await service.eventually(async () => {
      expect(denials.ids()).toEqual([eventId(3)]);
      expect(stranger.ids()).toEqual([eventId(4)]);
      expect(all.messages('inbox').map(({ data }) => data.openCount)).toEqual([0, 1]);
    });
    const listed = (await service.ask('auditor', '/v1/events?limit=2')).body.events;
    expect(all.messages('events').flatMap(({ data }) => data.events)).toEqual([...listed].reverse());
    expect(stranger.messages('inbox').map(({ data }) => data.openCount)).toEqual([0]);
  });

  it('continues after the id that came last, and says so where it cannot', async () => {
    const first = await hello();
    await service.append(envelope(10));
    await service.eventually(async () => expect(first.ids()).toEqual([eventId(10)]));
    const id = first.messages().findLast((one) => one.id !== null)!.id!;
    first.response.destroy();
    await service.append(...Array.from({ length: 250 }, (_, n) => envelope(100 + n)));
    const second = await hello('', 'auditor', id);
    expect(second.messages('hello')[0]!.data.resumed).toBe(true);
    expect(second.ids()).toEqual(Array.from({ length: 250 }, (_, n) => eventId(100 + n)));
    expect(second.messages('events').map((one) => one.id === null)).toEqual([true, true, false]);
    for (const none of ['nonsense', '0.999999', '1.1']) {
      const third = await hello('', 'member', none);
      expect([third.messages('hello')[0]!.data.resumed, third.ids()]).toEqual([false, []]);
      third.response.destroy();
    }
  });

  it('says how many it left out, so that shown and skipped together are all', async () => {
    const client = await hello();
    await service.append(...Array.from({ length: 1500 }, (_, n) => envelope(1000 + n)));
    await service.append(envelope(3000));
    await service.eventually(async () => {
      const skipped = client.messages('events').reduce((sum, { data }) => sum + data.skipped, 0);
      expect([client.ids().length + skipped, client.ids().at(-1)]).toEqual([1501, eventId(3000)]);
    });
    expect(Math.max(...client.messages('events').map(({ data }) => data.events.length))).toBeLessThanOrEqual(100);
  });

  it('sends what was anchored', async () => {
    const client = await hello();
    const window = anchoredWindow(1, agentId(1), 1, 2);
    await service.context.eventLog.append([versionedRecord('anchors', `window:${window.windowId}:0`, 1, window)]);
    await service.eventually(async () => {
      const { data } = client.messages('anchored')[0]!;
      expect(data).toEqual({ agents: [{ agentId: agentId(1), through: 2 }] });
    });
  });

  it('is refused without a session, with a bad filter, and where too many are open', async () => {
    expect((await connect('', null)).response.statusCode).toBe(401);
    expect((await connect('?outcome=maybe')).response.statusCode).toBe(400);
    const four = await Promise.all([1, 2, 3, 4].map(() => hello('', 'member')));
    const fifth = await connect('', 'member');
    expect([fifth.response.statusCode, fifth.response.headers['retry-after']]).toEqual([503, '5']);
    four[0]!.response.destroy();
    await service.eventually(async () => expect((await connect('', 'member')).response.statusCode).toBe(200));
  });

  it('ends with its time, and with its session', async () => {
    const short = await hello('?seconds=1', 'member');
    await service.eventually(async () => expect(short.ended).toBe(true));
    expect(short.messages('bye')).toHaveLength(1);
    const client = await hello('', 'admin');
    const facts: SessionFacts = {
      ...{ accountId: ACCOUNT, userId: 'user-admin', email: 'admin@example.com', role: 'admin' },
      ...{ expiresAt: new Date(Date.now() + 3_600_000).toISOString(), revokedAt: new Date().toISOString() },
    };
    await service.context.eventLog.append([versionedRecord<SessionFacts>('sessions', 'admin', 2, facts)]);
    await service.append(other(5000, 'agent.frozen'));
    await service.eventually(async () => expect(client.ended).toBe(true));
    expect(client.messages('bye')[0]!.data.reason).toMatch(/session/);
  }, 60_000);

  it('does not delay the end of the process', async () => {
    const client = await hello('', 'member');
    const begun = performance.now();
    await service.stop();
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(client.ended).toBe(true);
    await service.start();
  }, 60_000);
});
