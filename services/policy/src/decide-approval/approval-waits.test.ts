import { ApprovalWaits } from './approval-waits.js';

describe('requests that wait for a decision', () => {
  it('are so many of one account at most, and leave room for the others', async () => {
    const waits = new ApprovalWaits(() => Promise.resolve(new Map()), { all: 3, account: 2 });
    const ended: string[] = [];
    const wait = (account: string, name: string): Promise<void> =>
      waits.until(account, name, () => false, 60_000).then(() => void ended.push(name));
    const [a, b] = [wait('one', 'a'), wait('one', 'b')];
    await wait('one', 'too many of one');
    const c = wait('two', 'c');
    await wait('three', 'too many of all');
    expect(ended).toEqual(['too many of one', 'too many of all']);
    waits.stop();
    await Promise.all([a, b, c]);
  });

  it('make room when they end', async () => {
    const waits = new ApprovalWaits(() => Promise.resolve(new Map()), { all: 9, account: 1 });
    await waits.until('one', 'a', () => false, 20);
    const begun = performance.now();
    await waits.until('one', 'a', () => false, 60);
    expect(performance.now() - begun).toBeGreaterThan(40);
    waits.stop();
  });
});
