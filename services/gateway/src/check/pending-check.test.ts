import type { CheckAnswer } from '@countersign/contracts';
import { PendingCheck } from './pending-check.js';

const ANSWER: CheckAnswer = { status: 200, body: '{"allowed":true}', eventId: 'e' } as unknown as CheckAnswer;
const SENT = { eventId: 'e', agentId: 'g', accountId: 'a', cadenceSeconds: 1, apiKeyId: 'k' };

describe('a pending check', () => {
  let nowMs = 0;
  let said: unknown[] = [];
  const underWay = (): PendingCheck => {
    nowMs = 0;
    said = [];
    const reply = {
      answer: ({ status }: CheckAnswer) => void said.push(status),
      refuse: (status: number) => void said.push(status),
      unavailable: (code: string, _reason: string, eventId: string | null) => void said.push(503, code, eventId),
    };
    const observer = {
      unanswered: ({ eventId }: { readonly eventId: string }) => void said.push(`unanswered ${eventId}`),
      ended: () => undefined,
      failed: () => undefined,
    };
    return new PendingCheck(reply, observer, 0, 1000, 0, () => nowMs);
  };

  it('is answered once, until its deadline', () => {
    const check = underWay();
    nowMs = 999;
    expect(check.overByNow()).toBe(false);
    check.answer(ANSWER, null);
    check.answer(ANSWER, null);
    check.expire();
    expect(said).toEqual([200]);
  });

  it('returns 503 once its deadline has passed, however it ends, and reports its event as unanswered', () => {
    const check = underWay();
    check.sent = SENT;
    nowMs = 1000;
    check.answer(ANSWER, null);
    check.expire();
    expect(said).toEqual(['unanswered e', 503, 'deadline_exceeded', 'e']);
  });

  it('is over after its deadline, before its event is sent', () => {
    const check = underWay();
    nowMs = 5000;
    expect(check.over).toBe(false);
    expect(check.overByNow()).toBe(true);
    expect(said).toEqual([503, 'deadline_exceeded', null]);
  });
});
