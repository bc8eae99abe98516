import { setTimeout as sleep } from 'node:timers/promises';
import { ChainWatch } from './chain-watch.js';

describe('ChainWatch', () => {
  const urls = ['https://one.example.com/v1/secret-key', 'http://two.example.com:8899/?api-key=secret-key'];
  let answers: boolean;
  let asked: number;
  let reached: boolean[];
  let logged: string[];
  let watch: ChainWatch;
  const looks = async (count: number): Promise<void> => {
    for (const before = asked; asked < before + count;) await sleep(5);
    await sleep(5);
  };

  beforeEach(() => {
    answers = false;
    asked = 0;
    reached = [];
    logged = [];
    const log = {
      info: (text: string) => logged.push(text),
      warn: (what: object, text: string) => logged.push(`${text} ${JSON.stringify(what)}`),
    };
    watch = new ChainWatch({
      chain: async () => ({
        async time() {
          asked += 1;
          if (!answers) throw new Error('fetch failed');
          return asked;
        },
      }),
      urls,
      log: log as never,
      reached: (one) => reached.push(one),
      everyMs: 10,
    });
  });
  afterEach(() => watch.stop());

  it('names the nodes, without what stands behind their hosts, until one has answered', async () => {
    expect(watch.firstProblem()).toBe(
      'waiting for a Solana node at one.example.com, two.example.com:8899: no answer yet',
    );
    watch.start();
    await looks(1);
    expect(watch.firstProblem()).toMatch(/two\.example\.com:8899: fetch failed$/);
    expect(logged).toEqual([expect.stringContaining('no Solana node answers')]);
    answers = true;
    await looks(1);
    expect(watch.firstProblem()).toBeNull();
    expect(JSON.stringify(logged)).not.toContain('secret-key');
  });

  it('counts a later outage, reports it once, and stays without a problem', async () => {
    answers = true;
    watch.start();
    await looks(2);
    answers = false;
    await looks(2);
    expect(reached.at(-1)).toBe(false);
    expect(watch.firstProblem()).toBeNull();
    answers = true;
    await looks(2);
    expect(reached.at(-1)).toBe(true);
    expect(logged).toEqual([expect.stringContaining('no Solana node answers'), 'a Solana node answers again']);
  });

  it('does not wait for the end of a look to say that no node answers', async () => {
    const heard: boolean[] = [];
    let answer: (seconds: number) => void = () => undefined;
    const lasting = new ChainWatch({
      chain: async () => ({ time: () => new Promise<number>((resolve) => (answer = resolve)) }),
      urls,
      log: { info: () => undefined, warn: () => undefined } as never,
      reached: (one) => heard.push(one),
      everyMs: 60_000,
      silentAfterMs: 20,
    });
    lasting.start();
    while (heard.length === 0) await sleep(5);
    expect(heard).toEqual([false]);
    answer(1);
    while (heard.length === 1) await sleep(5);
    expect(heard).toEqual([false, true]);
    lasting.stop();
  });
});
