import { Countersign, CountersignError, type CountersignOptions } from './index.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';

describe('a client', () => {
  it.each(['', 'two words', 'déjà', 'line\nbreak', 'k'.repeat(256)])(
    'sends no key of a call that no header can bear, and is not open for it: %j',
    async (idempotencyKey) => {
      const asked: string[] = [];
      const fetch = (url: string) => {
        asked.push(url);
        return Promise.resolve(new Response('{"allowed":true}'));
      };
      const open = new Countersign({ apiKey: 'k', agentId: AGENT, failMode: 'open', fetch });
      await expect(open.check({ actionType: 'pay' }, { idempotencyKey })).rejects.toThrow(/idempotencyKey/u);
      expect(asked).toEqual([]);
    },
  );

  it('returns the budget of an exceeded limit, whole or not at all', async () => {
    const read = async (budget: unknown) => {
      const denied = { allowed: false, reason: 'no', severity: 'P2', violation_type: 'limit_exceeded', budget };
      const fetch = () => Promise.resolve(new Response(JSON.stringify(denied)));
      return (await new Countersign({ apiKey: 'k', agentId: AGENT, fetch }).check({ actionType: 'pay' })).budget;
    };
    const budget = { unit: 'sum', window_seconds: 60, limit: '5', consumed: '4.5', remaining: '0.5', resets_at: null };
    const shown = { unit: 'sum', windowSeconds: 60, limit: '5', consumed: '4.5', remaining: '0.5', resetsAt: null };
    expect(await read(budget)).toEqual(shown);
    const resetsAt = '2026-11-21T12:00:10.000Z';
    expect(await read({ ...budget, resets_at: resetsAt })).toEqual({ ...shown, resetsAt });
    for (const wrong of [{ ...budget, limit: 5 }, { ...budget, unit: 'other' }, { ...budget, resets_at: 5 }, [], 'x']) {
      expect(await read(wrong)).toBeUndefined();
    }
  });

  it('waits no longer than its timeout, whatever the given fetch does', async () => {
    const fetch = () => new Promise<Response>(() => undefined);
    const stuck = new Countersign({ apiKey: 'k', agentId: AGENT, retries: 0, attemptTimeoutMs: 20, fetch });
    expect(await stuck.check({ actionType: 'pay' })).toMatchObject({ allowed: false, violations: ['timeout'] });
    const left = new AbortController();
    const asked = stuck.check({ actionType: 'pay' }, { signal: left.signal });
    left.abort(new Error('no longer needed'));
    await expect(asked).rejects.toThrow('no longer needed');
  });

  it('aborts an endless answer, and reads a chunked one to its end', async () => {
    let sent = 0;
    let ended = false;
    const endless = (_url: string, { signal }: RequestInit) => {
      signal?.addEventListener('abort', () => (ended = true));
      const piece = new Uint8Array(64 * 1024).fill(0x20);
      const body = new ReadableStream({ pull: (to) => (to.enqueue(piece), void (sent += piece.length)) });
      return Promise.resolve(new Response(body));
    };
    const options = { apiKey: 'k', agentId: AGENT, retries: 0 };
    const long = await new Countersign({ ...options, fetch: endless }).check({ actionType: 'pay' });
    expect(long).toMatchObject({ allowed: false, violations: ['invalid_response'] });
    expect([sent < 2 * 1024 * 1024, ended]).toEqual([true, true]);
    const text = new TextEncoder().encode('{"allowed":false,"reason":"zu groß"}');
    const fetch = () => {
      const pieces = [...text].map((byte) => Uint8Array.of(byte));
      const body = new ReadableStream({
        pull: (to) => (pieces.length === 0 ? to.close() : to.enqueue(pieces.shift())),
      });
      return Promise.resolve(new Response(body));
    };
    const whole = new Countersign({ ...options, fetch, timeoutMs: Infinity, attemptTimeoutMs: Infinity });
    expect(await whole.check({ actionType: 'pay' })).toMatchObject({ allowed: false, reason: 'zu groß' });
  });

  const seen: [string, Record<string, unknown>][] = [];
  const logs = (status: number): Countersign => {
    seen.length = 0;
    const fetch = (url: string, { body }: RequestInit) => {
      const isCheck = url.endsWith('/v1/check');
      seen.push([isCheck ? 'check' : 'log', JSON.parse(body as string) as Record<string, unknown>]);
      const headers = { 'x-event-id': 'e' };
      return Promise.resolve(
        new Response('{"allowed":true,"error":"no"}', { status: isCheck ? 200 : status, headers }),
      );
    };
    return new Countersign({ apiKey: 'k', agentId: AGENT, fetch, retries: 0, onReportFailed });
  };
  let onReportFailed: NonNullable<CountersignOptions['onReportFailed']> = () => undefined;

  it('sends no check for a generator function, and reports a returned generator as failed, since it has done nothing', async () => {
    const one = logs(201);
    let begun = false;
    async function* pieces(): AsyncGenerator<string> {
      begun = true;
      yield 'paid';
    }
    function* values(): Generator<string> {
      begun = true;
      yield 'paid';
    }
    for (const generates of [pieces, values] as (() => unknown)[]) {
      await expect(one.guard({ actionType: 'pay' }, generates)).rejects.toThrow(/generator/u);
    }
    expect(seen).toEqual([]);
    for (const generates of [pieces, values] as (() => unknown)[]) {
      await expect(one.guard({ actionType: 'pay' }, () => generates())).rejects.toThrow(/generator/u);
    }
    expect(seen.map(([kind, { outcome }]) => [kind, outcome])).toEqual([
      ['check', undefined],
      ['log', 'failed'],
      ['check', undefined],
      ['log', 'failed'],
    ]);
    expect(begun).toBe(false);
    expect(await one.guard({ actionType: 'pay' }, () => [...values()])).toEqual(['paid']);
  });

  it('continues if the handler of a failed report fails as well, at once or later', async () => {
    const warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    for (const fails of [() => Promise.reject(new Error('no log')), () => void fail('no log')]) {
      onReportFailed = fails;
      expect(await logs(404).guard({ actionType: 'pay' }, () => 7)).toBe(7);
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', unhandled);
    expect([warned.mock.calls.length, unhandled.mock.calls.length]).toEqual([2, 0]);
    expect(warned.mock.calls[0]?.[0]).toContain('no log');
    warned.mockRestore();
  });

  it('sends the content of maps and sets, and refuses values that JSON cannot show', async () => {
    const one = logs(201);
    const payload = {
      map: new Map<unknown, unknown>([
        ['usd', 40],
        [7, new Set(['a'])],
      ]),
      when: new Date(0),
      bytes: Uint8Array.of(1),
      none: new Uint8Array(0),
      own: new (class Order {
        id = 17;
      })(),
      empty: {},
      bare: Object.create(null) as object,
      text: new String('x'),
    };
    await one.check({ actionType: 'pay', payload });
    expect(seen[0]?.[1]['action']).toEqual({
      type: 'pay',
      payload: {
        map: [
          ['usd', 40],
          [7, ['a']],
        ],
        when: '1970-01-01T00:00:00.000Z',
        bytes: { 0: 1 },
        none: {},
        own: { id: 17 },
        empty: {},
        bare: {},
        text: 'x',
      },
    });
    for (const hidden of [new WeakMap(), /x/u, new ArrayBuffer(8), Promise.resolve(), new URLSearchParams('usd=40')]) {
      await expect(one.check({ actionType: 'pay', payload: { hidden } })).rejects.toThrow(
        /hidden: a value of the kind/u,
      );
    }
    expect(seen.length).toBe(1);
  });
});

describe('a client with wrong options', () => {
  it.each([
    [{ apiKey: '', agentId: AGENT }, /apiKey/u],
    [{ apiKey: 'two words', agentId: AGENT }, /apiKey/u],
    [{ apiKey: 'k', agentId: '' }, /agentId/u],
    [{ apiKey: 'k', agentId: AGENT, baseUrl: 'here' }, /baseUrl/u],
    [{ apiKey: 'k', agentId: AGENT, baseUrl: 'file:///etc' }, /baseUrl/u],
    [{ apiKey: 'k', agentId: AGENT, timeoutMs: 0 }, /timeoutMs/u],
    [{ apiKey: 'k', agentId: AGENT, retries: NaN }, /retries/u],
    [{ apiKey: 'k', agentId: AGENT, retries: -1 }, /retries/u],
    [{ apiKey: 'k', agentId: AGENT, circuitBreaker: { failures: NaN } }, /circuitBreaker/u],
    [{ apiKey: 'k', agentId: AGENT, circuitBreaker: { cooldownMs: NaN } }, /circuitBreaker/u],
    [undefined, /^apiKey: an API key is needed, not undefined: is COUNTERSIGN_API_KEY set\?$/u],
    [{ agentId: AGENT }, /^apiKey: .* not undefined/u],
    [{ apiKey: 'k', agentId: AGENT, baseURL: 'http://a' }, /unknown option "baseURL"\. Did you mean "baseUrl"\?/u],
    [{ apiKey: 'k', agentId: AGENT, failmode: 'open' }, /"failmode"\. Did you mean "failMode"\?/u],
    [{ apiKey: 'k', agentId: AGENT, timeout: 5 }, /"timeout"\. Did you mean "timeoutMs"\?/u],
    [{ apiKey: 'k', agentId: AGENT, retrys: 5 }, /"retrys"\. Did you mean "retries"\?/u],
    [{ apiKey: 'k', agentId: AGENT, model: 5 }, /"model"\. Known options: apiKey, /u],
    [{ apiKey: 'k', agentId: AGENT, failMode: 'OPEN' }, /failMode: "closed", "open" or "throw", not "OPEN"/u],
    [{ apiKey: 'k', agentId: AGENT, timeoutMs: '5' }, /timeoutMs: milliseconds above zero, not a text/u],
    [{ apiKey: 'k', agentId: AGENT, onDenied: 'x' }, /onDenied: a function, not a text/u],
    [{ apiKey: 'k', agentId: AGENT, circuitBreaker: { failure: 1 } }, /circuitBreaker: .*Did you mean "failures"/u],
    [{ apiKey: 'k', agentId: AGENT, circuitBreaker: true }, /circuitBreaker: an object/u],
    [{ apiKey: 'k', agentId: AGENT, baseUrl: '127.0.0.1:8080' }, /add http:\/\/ or https:\/\/ before it/u],
    [{ apiKey: 'k', agentId: AGENT, baseUrl: 'localhost:8080' }, /add http:\/\//u],
  ])('says what is wrong', (options, words) => {
    expect(() => new Countersign(options as never)).toThrow(words);
  });

  it('is refused, also in a call with an unknown option', async () => {
    const one = new Countersign('k', AGENT);
    const options = { idempotencykey: 'a' } as never;
    await expect(one.check({ actionType: 'pay' }, options)).rejects.toThrow(/Did you mean "idempotencyKey"/u);
    await expect(one.check({ actionType: 'pay' }, { agentId: '' })).rejects.toThrow(/agentId/u);
  });

  it('takes an address with or without /v1, and an action with a type', async () => {
    const asked: string[] = [];
    const fetch = (url: string) => {
      asked.push(url);
      return Promise.resolve(new Response('{"allowed":true}'));
    };
    const options = { apiKey: 'k', agentId: AGENT, fetch };
    for (const baseUrl of ['https://x.example', 'https://x.example/v1/', 'https://x.example/proxy/']) {
      await new Countersign({ ...options, baseUrl }).check({ actionType: 'pay' });
    }
    expect(asked).toEqual([
      'https://x.example/v1/check',
      'https://x.example/v1/check',
      'https://x.example/proxy/v1/check',
    ]);
    await expect(new Countersign(options).check({ actionType: '' })).rejects.toThrow(TypeError);
    expect(new Countersign('k', AGENT)).toBeInstanceOf(Countersign);
    expect(new CountersignError('timeout', 'm').isUnavailable).toBe(true);
  });
});

function fail(words: string): never {
  throw new Error(words);
}
