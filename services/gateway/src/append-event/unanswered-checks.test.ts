import type { EventEnvelope } from '@countersign/contracts';
import { LogInDoubt } from '@countersign/event-log';
import type { NewRecord } from '@countersign/event-log';
import { readEnvelope } from '@countersign/evidence';
import { EntropyPool } from '../domain/entropy.js';
import type { UnansweredCheck } from '../domain/unanswered-event.js';
import { UnansweredChecks } from './unanswered-checks.js';

const HOUR = 3600 * 1000;

const check = (n: number): UnansweredCheck => ({
  eventId: `018f4d5e-0000-7000-8000-00000000000${n}`,
  agentId: '018f4d5e-0000-7000-8000-0000000000bb',
  accountId: '018f4d5e-0000-7000-8000-0000000000aa',
  cadenceSeconds: 300,
  apiKeyId: '018f4d5e-0000-7000-8000-0000000000cc',
});

function bench(): {
  unanswered: UnansweredChecks;
  sends: NewRecord[][];
  failing: { error: Error | null; refusing: string | null };
  clock: { ms: number };
} {
  const sends: NewRecord[][] = [];
  const failing: { error: Error | null; refusing: string | null } = { error: null, refusing: null };
  const clock = { ms: 0 };
  const unanswered = new UnansweredChecks({
    eventLog: {
      append: async (records) => {
        sends.push([...records]);
        if (failing.error !== null) throw failing.error;
        return [];
      },
      refusing: () => failing.refusing,
    },
    counters: { now: async () => 1_700_000_000_000 + clock.ms },
    log: { warn: () => undefined },
    entropy: new EntropyPool(),
    now: () => clock.ms,
  });
  return { unanswered, sends, failing, clock };
}

const leafOf = (record: NewRecord): EventEnvelope['leaf'] => {
  const read = readEnvelope(JSON.parse(record.value));
  if (!read.ok) throw new Error(read.problem);
  return read.value.leaf;
};

describe('UnansweredChecks', () => {
  it('appends one event for each, and the same bytes again when they are in doubt', async () => {
    const { unanswered, sends, failing } = bench();
    failing.refusing = 'no space left';
    unanswered.add(check(1), false);
    unanswered.add(check(2), false);
    await unanswered.flush();
    expect(sends).toEqual([]);
    failing.refusing = null;
    failing.error = new LogInDoubt('time-out');
    await unanswered.flush();
    failing.error = null;
    await unanswered.flush();
    expect(sends).toHaveLength(2);
    expect(sends[1]).toEqual(sends[0]);
    expect(sends[1]!.map((record) => leafOf(record).refersTo)).toEqual([check(1).eventId, check(2).eventId]);
    expect(unanswered.size).toBe(0);
    await unanswered.stop();
    expect(sends).toHaveLength(2);
  });

  it('builds the event again after more than a day', async () => {
    const { unanswered, sends, failing, clock } = bench();
    failing.error = new LogInDoubt('time-out');
    unanswered.add(check(1), false);
    await unanswered.flush();
    clock.ms += 25 * HOUR;
    failing.error = null;
    await unanswered.flush();
    expect(leafOf(sends[1]![0]!).occurredAt > leafOf(sends[0]![0]!).occurredAt).toBe(true);
    await unanswered.stop();
  });

  it('waits for the end of a claim, and drops one that a retry answered', async () => {
    const { unanswered, sends, clock } = bench();
    unanswered.add(check(1), true);
    unanswered.add(check(2), true);
    unanswered.answered(check(2).eventId);
    clock.ms = 23 * HOUR;
    await unanswered.flush();
    expect(sends).toEqual([]);
    clock.ms = 24 * HOUR;
    await unanswered.flush();
    expect(sends.flat().map((record) => leafOf(record).refersTo)).toEqual([check(1).eventId]);
    await unanswered.stop();
  });

  it('appends the remaining events when it stops', async () => {
    const { unanswered, sends } = bench();
    unanswered.add(check(1), true);
    unanswered.add(check(2), false);
    await unanswered.stop();
    expect(
      sends
        .flat()
        .map((record) => leafOf(record).refersTo)
        .sort(),
    ).toEqual([check(1).eventId, check(2).eventId]);
  });
});
