import { WaitingCalls } from './waiting-calls.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('calls that wait', () => {
  const now = () => performance.now();
  const call = (ms: number, expired: () => void) => ({ deadlineAt: now() + ms, over: false, expired });

  it('expire at their deadline, once, and not when they were over before', async () => {
    const waiting = new WaitingCalls(now);
    const expired: string[] = [];
    const [first, answered, last] = ['first', 'answered', 'last'].map((name) => call(30, () => expired.push(name)));
    for (const each of [first!, answered!, last!]) waiting.add(each);
    answered!.over = true;
    expect(expired).toEqual([]);
    await sleep(60);
    expect(expired).toEqual(['first', 'last']);
    expect(first!.over).toBe(true);
    waiting.add(call(10, () => expired.push('later')));
    await sleep(40);
    expect(expired).toEqual(['first', 'last', 'later']);
    waiting.stop();
  });

  it('expire no more once stopped', async () => {
    const waiting = new WaitingCalls(now);
    let expired = 0;
    waiting.add(call(10, () => (expired += 1)));
    waiting.stop();
    waiting.add(call(10, () => (expired += 1)));
    await sleep(40);
    expect(expired).toBe(0);
  });
});
