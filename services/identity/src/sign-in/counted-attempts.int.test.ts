import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAILURES_PER_ADDRESS, FAILURES_PER_PAIR, REGISTRATIONS_PER_IP } from '../domain/lock-out.js';
import { openSqliteIdentityStore } from '../store/open.js';
import type { IdentityStore } from '../store/port.js';
import type { Session, User } from '../domain/members.js';
import type { Act } from '@countersign/topics';
import { CountedAttempts } from './counted-attempts.js';
import { FailedSignIns } from './failed-sign-ins.js';

describe('attempts counted by origin', () => {
  const directory = mkdtempSync(join(tmpdir(), 'identity-attempts-'));
  let store: IdentityStore;
  let attempts: CountedAttempts;
  beforeAll(async () => {
    store = await openSqliteIdentityStore(join(directory, 'identity.sqlite'));
    attempts = new CountedAttempts({ clock: () => Date.UTC(2026, 2, 1) }, store);
  });
  afterAll(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  it('share an origin within one IPv6 /64, and have another elsewhere', async () => {
    for (let n = 0; n < REGISTRATIONS_PER_IP; n += 1) {
      await attempts.registration(`${n}@x.example`, `2001:db8:0:7::${n.toString(16)}`);
    }
    const more = '2001:db8:0:7:ffff:ffff:ffff:ffff';
    await expect(attempts.registration('a@x.example', more)).rejects.toMatchObject({ status: 429 });
    await attempts.registration('a@x.example', '2001:db8:0:8::1');
    await attempts.registration('a@x.example', '192.0.2.1');
  });

  it('lock an address out for their origin, not for its owner elsewhere', async () => {
    const wrong = async () => null;
    for (let n = 0; n < FAILURES_PER_PAIR; n += 1) await attempts.login('one@x.example', '192.0.2.10', wrong);
    await expect(attempts.login('one@x.example', '192.0.2.10', async () => 'in')).rejects.toMatchObject({
      status: 429,
    });
    expect(await attempts.login('one@x.example', '192.0.2.11', async () => 'in')).toBe('in');
  });

  it('from many origins lock out all but those with an earlier sign-in', async () => {
    const address = 'two@x.example';
    expect(await attempts.login(address, '192.0.2.20', async () => 'in')).toBe('in');
    for (let n = 0; n < FAILURES_PER_ADDRESS; n += 1) {
      await attempts.login(address, `198.51.100.${1 + Math.floor(n / (FAILURES_PER_PAIR - 1))}`, async () => null);
    }
    await expect(attempts.login(address, '203.0.113.5', async () => 'in')).rejects.toMatchObject({ status: 429 });
    expect(await attempts.login(address, '192.0.2.20', async () => 'in')).toBe('in');
  });
});

describe('failed sign-ins', () => {
  const USER = { id: 'u', accountId: 'a', email: 'u@x.example', role: 'member' } as User;
  const acts: Act[] = [];
  const sessions = new Set<string>();
  const failures = (): FailedSignIns =>
    new FailedSignIns(
      { log: { warn: (why: unknown) => expect(why).toBeNull() } as never, clock: () => Date.UTC(2026, 2, 1) },
      {
        userByEmail: async (email) => (email === USER.email ? USER : null),
        session: async (id) => (sessions.has(id) ? ({ id } as Session) : null),
      },
      {
        write: async (change) => {
          acts.push(...(change.acts ?? []));
          return 'written';
        },
      },
      0,
    );
  beforeEach(() => void (acts.length = 0));

  it('from many origins are five events of a user, and one with the number of all others', async () => {
    const noted = failures();
    for (let n = 0; n < 100; n += 1) noted.note(USER.email, `198.51.100.${n}`);
    for (let n = 0; n < 100; n += 1) noted.note('no-one@x.example', `198.51.100.${n}`);
    await noted.stop();
    const contents = acts.map(({ content: { user: _user, ...content } }) => content);
    const alone = [0, 1, 2, 3, 4].map((n) => ({ method: 'password', address: `198.51.100.${n}`, count: 1 }));
    expect(contents).toEqual([...alone, { count: 95 }]);
  });

  it('from one IPv6 /64 are counted together', async () => {
    const noted = failures();
    for (let n = 1; n < 10; n += 1) noted.note(USER.email, `2001:db8:0:7::${n}`);
    await noted.stop();
    expect(acts.map(({ content }) => [content['address'], content['count']])).toEqual([
      ['2001:db8:0:7::1', 1],
      ['2001:db8:0:7::1', 8],
    ]);
  });

  it('are also those without their second step, unless a session was opened on any instance', async () => {
    const noted = failures();
    sessions.add('opened');
    const expiresAtMs = Date.UTC(2026, 2, 2);
    for (const sessionId of ['opened', 'left']) {
      noted.noteUnlessOpened(USER.email, '192.0.2.1', 'password', { sessionId, expiresAtMs });
    }
    await noted.stop();
    expect(acts.map(({ content }) => [content['reason'], content['count']])).toEqual([['second-step-not-taken', 1]]);
  });
});
