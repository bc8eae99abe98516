import { connect } from 'node:net';
import { LogInDoubt } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { AccountSlots } from './admission/account-slots.js';
import { GatewayBench } from './gateway.test-setup.js';

const DEADLINE_MS = 4000;
const TOO_SLOW_MS = (DEADLINE_MS * 3) / 4 + 300;
const SHED = /^countersign_checks_turned_away_total\{reason="event_log_slow"\} (\d+)$/m;

describe('two concurrent accounts', () => {
  it('one holds three quarters of the slots at most, and the other is admitted', () => {
    const slots = new AccountSlots(3, 1000);
    expect([1, 2, 3, 4].map(() => slots.take('flood', 10))).toEqual([true, true, true, false]);
    expect(slots.takeMore('flood', 980)).toBe(false);
    expect(slots.take('small', 1000)).toBe(true);
    slots.giveBack('flood', 10);
    expect(slots.take('flood', 10)).toBe(true);
  });
});

describe('a body that does not come', () => {
  const bench = new GatewayBench();
  beforeAll(() => bench.open({ deadlineMs: 300 }));
  afterAll(() => bench.close());

  it('is 408 at the deadline: nothing was judged', async () => {
    const socket = connect({ host: '127.0.0.1', port: bench.gateway.port });
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.write(
      `POST /v1/check HTTP/1.1\r\nHost: a\r\nx-service-key: ${bench.key}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"agentId"`,
    );
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text).toMatch(
      /^HTTP\/1\.1 408 [^]*\{"error":"the body did not come in time: send it faster, and at once"\}$/,
    );
    expect(await bench.events()).toEqual([]);
  });
});

describe('when nothing becomes durable any more', () => {
  const bench = new GatewayBench();
  let hangs = false;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };

  const between = (log: EventLog): EventLog =>
    Object.assign(Object.create(log) as EventLog, {
      append: async (...[records]: Parameters<EventLog['append']>) => {
        if (hangs && records.some(({ value }) => value.includes('"type":"action.checked"'))) {
          await new Promise<void>((resolve) => waiting.push(resolve));
          throw new LogInDoubt('in doubt');
        }
        return log.append(records);
      },
      refusing: () => null,
      read: log.read.bind(log),
      consume: log.consume.bind(log),
      partitions: log.partitions.bind(log),
      beginOffsets: log.beginOffsets.bind(log),
      endOffsets: log.endOffsets.bind(log),
    });

  beforeAll(() => bench.open({ between, deadlineMs: DEADLINE_MS }));
  afterAll(() => bench.close());

  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const used = async (): Promise<number> => (await bench.gateway.counters.usage(bench.accountId)).actionsEver;

  it('checks are load-shed once it has taken most of the deadline, with no event and uncounted, until it continues', async () => {
    hangs = true;
    const first = bench.check({ type: 'a' });
    await sleep(TOO_SLOW_MS);
    const before = await used();
    // Not read at all: neither the key nor the body is judged.
    const [shed, unread] = await Promise.all([
      bench.check({ type: 'a' }),
      bench.send({ headers: { 'x-service-key': 'nope' }, body: '{' }),
    ]);
    for (const { status, text, headers } of [shed, unread]) {
      expect([status, headers['retry-after'], headers['x-event-id']]).toEqual([503, '1', undefined]);
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['allowed', 'reason', 'severity', 'code']);
      expect(JSON.parse(text)).toMatchObject({ allowed: false, severity: 'P1', code: 'unavailable' });
    }
    expect(await used()).toBe(before);
    expect(Number(SHED.exec(await bench.gateway.metrics.metrics())?.[1])).toBe(2);

    expect(await first).toMatchObject({ status: 503, body: { code: 'deadline_exceeded' } });
    hangs = false;
    release();
    await sleep(20);
    expect((await bench.check({ type: 'a' })).status).toBe(200);
  }, 30_000);

  it('checks are admitted again as soon as none waits for the log', async () => {
    hangs = true;
    const first = bench.check({ type: 'a' });
    await sleep(TOO_SLOW_MS);
    release();
    expect(await first).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    hangs = false;
    expect((await bench.check({ type: 'a' })).status).toBe(200);
  }, 30_000);
});
