import { ConfigurationError, createLogger } from '@countersign/process';
import { Waiting } from './waiting.js';

const log = createLogger('silent');

describe('waiting for a server', () => {
  it('tries until it is available, and names it and the reason meanwhile', async () => {
    const waiting = new Waiting(log);
    const seen: (readonly string[])[] = [];
    let attempts = 0;
    const result = await waiting.until('Kafka at b:9092', async () => {
      seen.push(waiting.problems());
      attempts += 1;
      if (attempts < 3) throw new Error('connection refused');
      return 'open';
    });
    expect([result, attempts]).toEqual(['open', 3]);
    expect(seen).toEqual([
      [],
      ['waiting for Kafka at b:9092: connection refused'],
      ['waiting for Kafka at b:9092: connection refused'],
    ]);
    expect(waiting.problems()).toEqual([]);
  });

  it('rejects at once with errors that waiting cannot solve', async () => {
    const waiting = new Waiting(log);
    const attempt = failing(new ConfigurationError(['KAFKA_BROKERS must be a list']));
    await expect(waiting.until('Kafka', attempt.call)).rejects.toThrow('KAFKA_BROKERS must be a list');
    expect(attempt.calls()).toBe(1);
  });

  it('rejects with the reason of its signal', async () => {
    const interruption = new AbortController();
    const waiting = new Waiting(log, interruption.signal);
    const attempt = failing(new Error('away'));
    const open = waiting.until('Redis', attempt.call);
    setTimeout(() => interruption.abort(new Error('stopping')), 10);
    await expect(open).rejects.toThrow('stopping');
    expect(attempt.calls()).toBeLessThan(3);
  });
});

describe('waiting until there are no problems', () => {
  it('looks repeatedly until there are none', async () => {
    const problems = [['a', 'b'], ['b'], []];
    let looks = 0;
    await new Waiting(log).untilNone(() => problems[looks++] ?? ['too late']);
    expect(looks).toBe(3);
  });

  it('rejects with the reason of its signal', async () => {
    const interruption = new AbortController();
    const open = new Waiting(log, interruption.signal).untilNone(() => ['Redis']);
    setTimeout(() => interruption.abort(new Error('stopping')), 10);
    await expect(open).rejects.toThrow('stopping');
  });
});

function failing(error: Error): { readonly call: () => Promise<never>; readonly calls: () => number } {
  let calls = 0;
  return {
    call: async () => {
      calls += 1;
      throw error;
    },
    calls: () => calls,
  };
}
