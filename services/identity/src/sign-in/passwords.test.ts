import { hashPassword, Passwords } from './passwords.js';

/** Minimum memory (KiB) and passes for argon2id with one lane in OWASP's Password Storage Cheat Sheet. */
const OWASP_LEAST = [
  { memory: 47_104, passes: 1 },
  { memory: 19_456, passes: 2 },
  { memory: 12_288, passes: 3 },
  { memory: 9_216, passes: 4 },
  { memory: 7_168, passes: 5 },
] as const;

/** PHC string format with the parameters of RFC 9106. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$[A-Za-z0-9+/]+$/;

describe('passwords', () => {
  it('are stored as argon2id, above the minimum of OWASP, each with its own salt', async () => {
    const [one, other] = await Promise.all([hashPassword('the same'), hashPassword('the same')]);
    const [, memory, passes, salt = ''] = PHC.exec(one) ?? [];
    const fits = OWASP_LEAST.some((least) => Number(memory) >= least.memory && Number(passes) >= least.passes);
    expect([one, fits]).toEqual([one, true]);
    expect(Buffer.from(salt, 'base64').length).toBeGreaterThanOrEqual(16);
    expect(PHC.exec(other)?.[3]).not.toBe(salt);
  });

  it('match only their own hash; nothing matches if there is none', async () => {
    const passwords = new Passwords();
    const hash = await hashPassword('right');
    expect(await passwords.match(hash, 'right')).toBe(true);
    expect(await passwords.match(hash, 'Right')).toBe(false);
    expect(await passwords.match(null, 'right')).toBe(false);
    expect(await passwords.match(null, '')).toBe(false);
  });

  it('cost the same for an unknown address as for a wrong password', async () => {
    const passwords = new Passwords();
    const hash = await hashPassword('right');
    const times = { known: [] as number[], unknown: [] as number[] };
    // Alternating, so that other load on the machine affects both.
    for (let n = 0; n < 12; n += 1) {
      for (const [who, asked] of [
        ['known', hash],
        ['unknown', null],
      ] as const) {
        const begun = process.hrtime.bigint();
        await passwords.match(asked, 'wrong');
        times[who].push(Number(process.hrtime.bigint() - begun));
      }
    }
    const ratio = median(times.unknown) / median(times.known);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
