import fc from 'fast-check';
import type { Severity } from '@countersign/contracts';
import { eventId, notice, START, violation, WINDOW_MS } from '../testing/violations.js';
import { RETRY_AFTER_MS, afterAttempt, type Message } from './message.js';
import { closeSum, foldNotices, type Notice, type Thread } from './thread.js';

const NOW = START + 1_000_000;
const at = (n: number, atMs: number, severity: Severity = 'P2'): Notice =>
  notice('d', violation(n, atMs, { severity }));
const fold = (thread: Thread | null, ...notices: [Notice, ...Notice[]]): ReturnType<typeof foldNotices> =>
  foldNotices(thread, notices, WINDOW_MS, NOW);
const dataOf = ({ body }: Message): { readonly [member: string]: unknown } => JSON.parse(body).data;

describe('violations of one kind', () => {
  it('are sent at once if they are the first, and as a sum for the rest of the window', () => {
    const first = fold(null, at(1, 0), at(2, 10, 'P1'), at(3, WINDOW_MS - 1));
    expect(first.messages.map(dataOf)).toEqual([
      expect.objectContaining({ eventId: eventId(1), count: 1, severity: 'P2', violation_type: 'api_not_allowed' }),
    ]);
    expect(first.thread.sum).toMatchObject({ count: 2, dueAtMs: NOW + WINDOW_MS - 10 });
    const closed = closeSum(first.thread, NOW);
    expect(closed.messages.map(dataOf)).toEqual([
      expect.objectContaining({ eventId: eventId(3), count: 2, severity: 'P1' }),
    ]);
    expect(closeSum(closed.thread, NOW).messages).toEqual([]);
  });

  it('open a new window after the old one, whose sum is sent before', () => {
    const { messages, thread } = fold(null, at(1, 0), at(2, 10), at(3, WINDOW_MS));
    expect(messages.map((message) => dataOf(message)['eventId'])).toEqual([1, 2, 3].map(eventId));
    expect(thread).toMatchObject({ sum: null, windowEndsMs: START + 2 * WINDOW_MS, offset: 4 });
  });

  it('are named by their first event, so that a repetition is the same message', () => {
    const once = fold(null, at(1, 0), at(2, 10));
    const more = fold(once.thread, at(3, 20));
    const [sum] = closeSum(more.thread, NOW).messages;
    expect(closeSum(once.thread, NOW + 5).messages[0]?.id).toBe(sum?.id);
    expect(sum?.id).not.toBe(once.messages[0]?.id);
    expect(foldNotices(null, [notice('other', violation(1, 0))], WINDOW_MS, NOW).messages[0]?.id).not.toBe(
      once.messages[0]?.id,
    );
  });

  it('are each counted once, in any batching and redelivery', () => {
    const events = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(events, fc.nat(40), fc.nat(40), (gaps, cut, back) => {
        let time = 0;
        const all = gaps.map((gap, n) => at(n, (time += gap)));
        const batches = [all.slice(0, cut), all.slice(Math.max(0, cut - back))];
        let thread: Thread | null = null;
        const messages: Message[] = [];
        for (const [first, ...rest] of batches) {
          if (first === undefined) continue;
          const folded = fold(thread, first, ...rest);
          thread = folded.thread;
          messages.push(...folded.messages);
        }
        messages.push(...closeSum(thread!, NOW).messages);
        expect(messages.reduce((sum, { count }) => sum + count, 0)).toBe(all.length);
        expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
      }),
    );
  });
});

describe('attempts of a message', () => {
  const [message] = fold(null, at(1, 0)).messages;
  const failed = { at: new Date(NOW).toISOString(), status: 500, error: 'the host answered 500' };

  it('are eight within a day, and the last one exhausts them', () => {
    let current = message!;
    for (const wait of RETRY_AFTER_MS) {
      const { message: after, exhausted } = afterAttempt(current, failed, NOW);
      expect(exhausted).toBe(false);
      expect(after).toMatchObject({ state: 'waiting', dueAtMs: NOW + wait });
      current = after;
    }
    const { message: last, exhausted } = afterAttempt(current, failed, NOW);
    expect(exhausted).toBe(true);
    expect(last).toMatchObject({ state: 'failed', dueAtMs: null });
    expect(last.attempts).toHaveLength(8);
    expect(RETRY_AFTER_MS.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(24 * 3_600_000);
  });

  it('end with the first success, and with the answer that the receiver is gone', () => {
    const taken = afterAttempt(message!, { ...failed, status: 204, error: null }, NOW);
    expect(taken).toMatchObject({ exhausted: false, message: { state: 'delivered', dueAtMs: null } });
    expect(afterAttempt(message!, { ...failed, status: 410 }, NOW).exhausted).toBe(true);
  });
});
