import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';
import type { TimedAttempt } from '../server-faults/steady-load.js';
import { settled, wrongRefusals } from '../server-faults/whole.js';
import { pipelinedLoad } from './pipelined-load.js';

/** Short, so that what two processes of a test machine bring is too much. */
const DEADLINE_MS = 200;
const LOAD = { connections: 128, depth: 16, most: 8000 } as const;
const REASON = /^countersign_checks_turned_away_total\{[^}]*reason="([a-z_]+)"[^}]*\} (\d+)$/gm;

/** Refused before anything of them was looked at, or at least before their event was sent. */
const unsent = ({ status, eventId }: TimedAttempt): boolean => status === 503 && eventId === null;

onEachProfile('more checks than can be decided', (start) => {
  let instance: Instance;
  let attempts: readonly TimedAttempt[];
  beforeAll(async () => {
    instance = await start({ env: { COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS) } });
    await eventually('a check is decided in time', 60, async () => {
      const { status } = await instance.check({ type: 'tool_use' });
      return status === 200 ? true : null;
    });
    attempts = await pipelinedLoad(instance, LOAD);
  }, 120_000);
  afterAll(() => instance.discard());

  it('are all answered: some decided, some turned away', () => {
    expect(attempts).toHaveLength(LOAD.most);
    expect([...new Set(attempts.map(({ status }) => status))].sort()).toEqual([200, 503]);
    expect(attempts.filter(unsent).length).toBeGreaterThan(LOAD.most / 100);
  });

  it('are refused as the contract says, with the time after which to come again', () => {
    expect(wrongRefusals(attempts)).toEqual([]);
    const wrong = attempts.filter(({ status, text }) => {
      if (status === 200) return text !== '{"allowed":true}';
      return Object.keys(JSON.parse(text) as object).join() !== 'allowed,reason,severity,code';
    });
    expect(wrong).toEqual([]);
  });

  it('are counted by the reason for which they are turned away', async () => {
    const { text } = await instance.request('GET', '/metrics');
    const reasons = new Map([...text.matchAll(REASON)].map(([, reason, count]) => [reason!, Number(count)]));
    const known = [
      'event_loop',
      'event_log_slow',
      'event_log_refuses',
      'counters_slow',
      'counters_unavailable',
      'too_many',
    ];
    expect([...reasons.keys()].filter((reason) => !known.includes(reason))).toEqual([]);
    const all = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    expect(all).toBeGreaterThan(0);
    expect(all).toBeLessThanOrEqual(attempts.filter(unsent).length);
  });

  it('leave an event each that was decided, once, and none that was turned away; then checks go on', async () => {
    const session = await instance.session();
    await eventually('a check is decided', 30, async () => {
      const { status } = await instance.check({ type: 'tool_use' });
      return status === 200 ? true : null;
    });
    expect((await settled(instance, session, attempts, 100)).problems).toEqual([]);
  }, 150_000);
});
