import { randomUUID } from 'node:crypto';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually, type Answer } from '../instance/request.js';
import type { TimedAttempt } from '../server-faults/steady-load.js';
import { settled, wrongRefusals } from '../server-faults/whole.js';
import { pipelinedLoad } from './pipelined-load.js';

/** Short, so that two processes of a test machine can overload it. */
const DEADLINE_MS = 200;
const LOAD = { connections: 128, depth: 16, most: 8000 } as const;
/** A busy machine may send too few, or decide nothing in time. */
const MOST_LOADS = 4;
const REASON = /^countersign_checks_turned_away_total\{[^}]*reason="([a-z_]+)"[^}]*\} (\d+)$/gm;

/** Refused before any processing, or at least before their event was sent. */
const unsent = ({ status, eventId }: TimedAttempt): boolean => status === 503 && eventId === null;

/** Checks of another account, a few at a time, sequentially. */
class OtherAccount {
  readonly answers: Answer[] = [];
  #over = false;

  private constructor(
    readonly instance: Instance,
    readonly apiKey: string,
    readonly agentId: string,
  ) {}

  static async register(instance: Instance): Promise<OtherAccount> {
    const login = { email: `other-${randomUUID()}@example.com`, password: 'a long enough password' };
    const registered = await instance.request('POST', '/v1/auth/register', {
      body: { ...login, accountName: 'Other' },
    });
    const session = { authorization: `Bearer ${(registered.json as { token: string }).token}` };
    const agentId = await newAgent(instance, session);
    const made = await instance.request('POST', '/v1/api-keys', { headers: session, body: { name: 'other' } });
    const other = new OtherAccount(instance, (made.json as { key: string }).key, agentId);
    await eventually('its check is decided', 30, async () => ((await other.check()).status === 200 ? true : null));
    return other;
  }

  check(): Promise<Answer> {
    const headers = { 'x-service-key': this.apiKey };
    return this.instance.request('POST', '/v1/check', {
      headers,
      body: { agentId: this.agentId, action: { type: 'tool_use' } },
    });
  }

  /** @returns when all checks sent until the end of `load` are answered */
  async during<T>(load: Promise<T>): Promise<T> {
    this.#over = false;
    const one = async (): Promise<void> => {
      while (!this.#over) this.answers.push(await this.check());
    };
    const all = Promise.all(Array.from({ length: 4 }, one));
    const ended = await load.finally(() => (this.#over = true));
    await all;
    return ended;
  }
}

onEachProfile('more checks than can be decided', (start, profile) => {
  let instance: Instance;
  let other: OtherAccount | null = null;
  let attempts: readonly TimedAttempt[];
  beforeAll(async () => {
    instance = await start({ env: { COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS) } });
    await eventually('a check is decided in time', 60, async () => {
      const { status } = await instance.check({ type: 'tool_use' });
      return status === 200 ? true : null;
    });
    if (profile === 'embedded') other = await OtherAccount.register(instance);
    attempts = [];
    const answered = (status: number): boolean => attempts.some((attempt) => attempt.status === status);
    for (let n = 0, depth: number = LOAD.depth; n < MOST_LOADS && !(answered(200) && attempts.some(unsent)); n += 1) {
      const load = pipelinedLoad(instance, { ...LOAD, name: `load-${n}`, depth });
      attempts = [...attempts, ...(await (other?.during(load) ?? load))];
      depth = Math.max(1, answered(200) ? depth * 2 : depth / 4);
    }
  }, 180_000);
  afterAll(() => instance?.discard());

  it('are all answered: some decided, some shed', () => {
    expect(attempts.length % LOAD.most).toBe(0);
    expect([...new Set(attempts.map(({ status }) => status))].sort()).toEqual([200, 503]);
    expect(attempts.filter(unsent).length).toBeGreaterThan(0);
  });

  it('are refused as in the contract, with a time to retry', () => {
    expect(wrongRefusals(attempts)).toEqual([]);
    const wrong = attempts.filter(({ status, text }) => {
      if (status === 200) return text !== '{"allowed":true}';
      return Object.keys(JSON.parse(text) as object).join() !== 'allowed,reason,severity,code';
    });
    expect(wrong).toEqual([]);
  });

  const reasons = async (): Promise<ReadonlyMap<string, number>> => {
    const { text } = await instance.request('GET', '/metrics');
    return new Map([...text.matchAll(REASON)].map(([, reason, count]) => [reason!, Number(count)]));
  };
  const othersUnsent = (): number =>
    (other?.answers ?? []).filter(({ status, headers }) => status === 503 && headers['x-event-id'] === undefined)
      .length;

  (profile === 'embedded' ? it : it.skip)('do not shed checks of another account that sends a few', async () => {
    const { answers } = other!;
    expect(answers.length).toBeGreaterThan(4);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    // Causes that affect all checks, such as a slow disk, are not attributed to an account.
    const everybodys = [...(await reasons())].filter(([reason]) => reason !== 'event_loop');
    const most = everybodys.reduce((sum, [, count]) => sum + count, 1);
    expect(othersUnsent()).toBeLessThanOrEqual(most);
  });

  it('are counted by the reason for which they are shed', async () => {
    const counted = await reasons();
    const known = [
      'event_loop',
      'event_log_slow',
      'event_log_refuses',
      'counters_slow',
      'counters_unavailable',
      'too_many',
    ];
    expect([...counted.keys()].filter((reason) => !known.includes(reason))).toEqual([]);
    const all = [...counted.values()].reduce((sum, count) => sum + count, 0);
    expect(all).toBeGreaterThan(0);
    expect(all).toBeLessThanOrEqual(attempts.filter(unsent).length + othersUnsent());
  });

  it('leave an event for each decided one, once, and none for shed ones; then checks continue', async () => {
    const session = await instance.session();
    await eventually('a check is decided', 30, async () => {
      const { status } = await instance.check({ type: 'tool_use' });
      return status === 200 ? true : null;
    });
    expect((await settled(instance, session, attempts, 240)).problems).toEqual([]);
  }, 300_000);
});
