import { AccountLookups } from './account-lookups.js';

const refused = (retryAfter: string): object => ({ status: 429, headers: { 'retry-after': retryAfter } });

describe('what an account may ask of the chain', () => {
  it('is four look-ups at once, of each account', async () => {
    const lookups = new AccountLookups();
    const ends: (() => void)[] = [];
    const held = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const asked = Array.from({ length: 4 }, () => lookups.run('a', held));
    await expect(lookups.run('a', held)).rejects.toMatchObject(refused('1'));
    expect(await lookups.run('b', async () => 'found')).toBe('found');
    ends[0]!();
    await asked[0];
    expect(await lookups.run('a', async () => 'found')).toBe('found');
    for (const end of ends) end();
    await Promise.all(asked);
  });

  it('is so many a minute, whatever came of them', async () => {
    let now = 0;
    const lookups = new AccountLookups(() => now, 3);
    const fails = (): Promise<never> => Promise.reject(new Error('no node'));
    for (let n = 0; n < 3; n += 1) await expect(lookups.run('a', fails)).rejects.toThrow('no node');
    await expect(lookups.run('a', fails)).rejects.toMatchObject(refused('20'));
    expect(await lookups.run('b', async () => 1)).toBe(1);
    now += 20_001;
    expect(await lookups.run('a', async () => 1)).toBe(1);
    await expect(lookups.run('a', fails)).rejects.toMatchObject(refused('20'));
  });
});
