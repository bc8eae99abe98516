import { randomUUID } from 'node:crypto';
import { LogInDoubt } from '@countersign/event-log';
import type { EventLog, NewRecord } from '@countersign/event-log';
import { GatewayBench, send } from './gateway.test-setup.js';
import type { Answer } from './gateway.test-setup.js';
import { forgetOnRedis, startOnRedis, withRedis } from './redis-gateways.test-setup.js';
import type { GatewayOnRedis } from './redis-gateways.test-setup.js';

/** Point at which the first gateway ends permanently, as seen by others. */
type Crash = 'between claim and append' | 'between append and answer';

withRedis('duplicates of an Idempotency-Key, when the gateway with the first one is gone', () => {
  const prefix = `crash-${randomUUID().slice(0, 8)}-`;
  const bench = new GatewayBench();
  let crash: Crash | null = null;
  let reached: () => void = () => undefined;
  let release: (() => void)[] = [];
  let gone: GatewayOnRedis;
  let others: readonly GatewayOnRedis[];
  beforeAll(async () => {
    await bench.open();
    gone = await startOnRedis(dying(bench.log), prefix);
    others = await Promise.all([startOnRedis(bench.log, prefix), startOnRedis(bench.log, prefix)]);
  });
  afterAll(async () => {
    for (const end of release) end();
    await Promise.all([gone, ...others].map((gateway) => gateway.stop()));
    await forgetOnRedis(prefix);
    await bench.close();
  });

  /** The log of the dying gateway: from the chosen point on it never answers. */
  function dying(log: EventLog): EventLog {
    const append = async (records: readonly NewRecord[]): ReturnType<EventLog['append']> => {
      const at = crash;
      if (at === null) return log.append(records);
      if (at === 'between append and answer') await log.append(records);
      reached();
      await new Promise<void>((resolve) => release.push(resolve));
      throw new LogInDoubt('the gateway is gone');
    };
    return Object.assign(Object.create(log) as EventLog, {
      append,
      refusing: () => null,
      read: log.read.bind(log),
      consume: log.consume.bind(log),
      partitions: log.partitions.bind(log),
      beginOffsets: log.beginOffsets.bind(log),
      endOffsets: log.endOffsets.bind(log),
    });
  }

  const ask = ({ port }: GatewayOnRedis, key: string, action: object): Promise<Answer> =>
    send(port, {
      headers: { 'x-service-key': bench.key, 'idempotency-key': key },
      body: JSON.stringify({ agentId: bench.agentId, action }),
    });
  const used = async (): Promise<number> => (await others[0]!.counters.usage(bench.accountId)).actionsEver;

  it.each(['between claim and append', 'between append and answer'] as const)(
    '%s: a hundred others get one answer and one event, which counts once',
    async (where) => {
      const key = randomUUID();
      const action = { type: 'pay', estimatedCost: 3 };
      const before = await used();
      crash = where;
      const there = new Promise<void>((resolve) => (reached = resolve));
      const lost = ask(gone, key, action).catch(() => null);
      await there;
      crash = null;

      const twins = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(others[n % 2]!, key, action)));
      const answers = new Set(
        twins.map(({ status, text, headers }) => `${status} ${text} ${String(headers['x-event-id'])}`),
      );
      expect([...answers]).toEqual([expect.stringMatching(/^200 \{"allowed":true\} /)]);
      expect(await used()).toBe(before + 1);
      const eventId = String(twins[0]!.headers['x-event-id']);
      // A second append has the same bytes: readers identify an event by its id.
      const written = (await bench.log.read('agent-events', 0, 0, 100_000))
        .map(({ value }) => Buffer.from(value).toString('utf8'))
        .filter((value) => value.includes(`"eventId":"${eventId}"`));
      expect(written.length).toBeGreaterThanOrEqual(1);
      expect(new Set(written).size).toBe(1);
      const events = await bench.events();
      expect(events.filter(({ leaf }) => leaf.refersTo === eventId)).toEqual([]);

      // Another body is refused at any gateway.
      expect((await ask(others[0]!, key, { type: 'other' })).status).toBe(400);
      for (const end of release) end();
      release = [];
      await lost;
      // The dead gateway's state does not matter for a repetition of the key.
      const again = await ask(others[1]!, key, action);
      expect([again.text, again.headers['x-event-id']]).toEqual(['{"allowed":true}', eventId]);
      expect(await used()).toBe(before + 1);
    },
  );

  it('between append and answer of a denial that freezes: the twin gets the denial, and the agent is frozen', async () => {
    const agentId = randomUUID();
    await bench.putAgent(agentId, { off_limits_actions: ['wire'], freeze_on_violation: true }, {}, false);
    await gone.counters.raise('agent', agentId, 1);
    const askAgent = ({ port }: GatewayOnRedis, key: string | null, type: string): Promise<Answer> =>
      send(port, {
        headers: { 'x-service-key': bench.key, ...(key === null ? {} : { 'idempotency-key': key }) },
        body: JSON.stringify({ agentId, action: { type } }),
      });
    const key = randomUUID();
    crash = 'between append and answer';
    const there = new Promise<void>((resolve) => (reached = resolve));
    const lost = askAgent(gone, key, 'wire').catch(() => null);
    await there;
    crash = null;
    const twin = await askAgent(others[0]!, key, 'wire');
    expect(twin.body).toMatchObject({ allowed: false, violation_type: 'off_limits_action' });
    expect((await askAgent(others[1]!, null, 'read')).status).toBe(403);
    for (const end of release) end();
    release = [];
    await lost;
  });
});
