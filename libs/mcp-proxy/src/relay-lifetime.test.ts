import type { CheckResult } from '@countersign/client';
import { call, PlayedRelay, result } from './relay.test-setup.js';

const cancel = (requestId: unknown): object => ({ method: 'notifications/cancelled', params: { requestId } });
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe('a call that is cancelled', () => {
  it('while it is checked: is never sent nor answered, and is reported as skipped if it was allowed', async () => {
    const played = new PlayedRelay();
    let decide: (result: CheckResult) => void = () => undefined;
    let signalled: AbortSignal | undefined;
    played.judge = (_call, signal) => {
      signalled = signal;
      return new Promise((resolve) => (decide = resolve));
    };
    await played.ask(call(1));
    await played.ask(cancel(1));
    expect(signalled?.aborted).toBe(true);
    decide({ allowed: true, eventId: 'e' });
    await played.ask({ method: 'notifications/x' });
    expect(played.server).toEqual([{ method: 'notifications/x' }]);
    expect([played.client, played.reports]).toEqual([[], ['e skipped given up before it was sent']]);
  });

  it('after it was sent: is forwarded, and reported as failed without an answer', async () => {
    const played = new PlayedRelay(1);
    await played.ask(call(1));
    await played.ask(cancel(1));
    expect(played.server).toEqual([call(1), cancel(1)]);
    await until(() => played.reports.length > 0);
    expect(played.reports).toEqual([expect.stringMatching(/^event of read failed cancelled.*may have taken effect/u)]);
    expect(played.relay.waiting.size).toBe(0);
  });

  it('and answered anyway: the answer is scanned and forwarded, and its outcome reported', async () => {
    const played = new PlayedRelay(60_000);
    await played.ask(call(1));
    await played.ask(cancel(1));
    await played.say(result(1, 'too late'));
    expect([played.client, played.scanned.length]).toEqual([[result(1, 'too late')], 1]);
    expect(played.reports).toEqual(['event of read succeeded']);
  });

  it('and lost: gets no answer, and is reported as failed', async () => {
    const played = new PlayedRelay(60_000);
    await played.ask(call(1));
    await played.ask({ id: 2, method: 'resources/read' });
    for (const id of [1, 2]) {
      await played.ask(cancel(id));
      played.relay.failed(id, 'the server failed (its answer broke off)');
    }
    expect([played.client, played.relay.waiting.size]).toEqual([[], 0]);
    expect(played.reports).toEqual([
      expect.stringMatching(/^event of read failed .*broke off.*may have taken effect/u),
    ]);
  });
});

describe('a batch', () => {
  it('is split, each call judged, and answered as one', async () => {
    const played = new PlayedRelay();
    await played.open('2025-03-26');
    played.judge = ({ name }) => Promise.resolve({ allowed: name === 'read', reason: 'no' });
    await played.ask([call(1), call(2, 'wire'), { method: 'notifications/x' }, { id: 3, method: 'ping' }]);
    expect(played.server).toEqual([{ method: 'notifications/x' }, { id: 3, method: 'ping' }, call(1)]);
    await played.say([{ id: 3, result: {} }, result(1, 'a')]);
    expect(played.client).toHaveLength(1);
    const answered = played.client[0] as { readonly id: number }[];
    expect(answered.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  });

  it('does not wait for cancelled calls, and is not answered if it has no requests', async () => {
    const played = new PlayedRelay();
    await played.ask([call(1), { id: 2, method: 'ping' }]);
    await played.ask(cancel(1));
    await played.say({ id: 2, result: {} });
    expect(played.client).toEqual([[{ id: 2, result: {} }]]);
    await played.ask([{ method: 'notifications/x' }]);
    expect(played.client).toHaveLength(1);
  });

  it('is refused if the protocol version has no batches', async () => {
    const played = new PlayedRelay();
    await played.open('2025-06-18');
    await played.ask([call(1)]);
    expect(played.server).toEqual([]);
    expect(played.client).toMatchObject([{ id: null, error: { code: -32_600, message: /2025-06-18/u } }]);
  });
});

describe('a call that is answered with a task', () => {
  const created = { id: 1, result: { task: { taskId: 't', status: 'working' } } };

  it('is reported by the task’s result, which is scanned', async () => {
    const played = new PlayedRelay();
    await played.ask(call(1, 'read', { task: {} }));
    await played.say(created);
    expect([played.client, played.reports]).toEqual([[created], []]);
    await played.ask({ id: 2, method: 'tasks/result', params: { taskId: 't' } });
    played.scan = () => Promise.resolve({ allowed: false, reason: 'holds a card' });
    await played.say(result(2, 'my card'));
    expect(JSON.stringify(played.client[1])).toMatch(/read.*was called.*withheld/u);
    expect(played.reports).toEqual([expect.stringMatching(/^event of read succeeded/u)]);
  });

  it('of another session is scanned as well', async () => {
    const played = new PlayedRelay();
    await played.ask({ id: 2, method: 'tasks/result', params: { taskId: 'unknown' } });
    await played.say(result(2, 'text'));
    expect(played.scanned).toEqual(['text\ntext']);
  });

  it('is an ordinary result if no task was asked for', async () => {
    const played = new PlayedRelay();
    await played.ask(call(1));
    await played.say(created);
    expect(played.reports).toEqual(['event of read succeeded']);
  });
});

describe('a server that has ended', () => {
  it('leaves no request without an answer', async () => {
    const played = new PlayedRelay();
    await played.ask(call(1));
    await played.ask({ id: 2, method: 'ping' });
    played.judge = (_call, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    await played.ask(call(3, 'wire'));
    await played.relay.serverGone('the server ended (with 3)');
    expect(played.client).toMatchObject([
      { id: 1, result: { isError: true } },
      { id: 2, error: { code: -32_000, message: 'the server ended (with 3)' } },
      { id: 3, result: { isError: true } },
    ]);
    expect(JSON.stringify(played.client[0])).toContain('may have taken effect');
    expect(JSON.stringify(played.client[2])).toContain('was not called');
    expect(played.reports).toEqual([expect.stringMatching(/^event of read failed the server ended/u)]);
    await played.ask(call(4));
    expect(played.client.at(-1)).toMatchObject({ id: 4, error: { code: -32_000 } });
  });

  it('waits for the scan of its last messages', async () => {
    const played = new PlayedRelay();
    let scanned: (result: CheckResult) => void = () => undefined;
    played.scan = () => new Promise((resolve) => (scanned = resolve));
    await played.ask(call(1));
    await played.say(result(1, 'last message'));
    const gone = played.relay.serverGone('the server ended');
    scanned({ allowed: true });
    await gone;
    expect(played.client).toEqual([result(1, 'last message')]);
  });

  it('is reported by requests that could not be sent', async () => {
    const played = new PlayedRelay();
    await played.ask(call(1));
    played.relay.failed(1, 'the server at https://a.example failed (401)');
    played.relay.failed(2, 'the request is unknown');
    expect(played.client).toMatchObject([{ id: 1, result: { isError: true } }]);
  });
});
