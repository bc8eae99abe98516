import type { Judgement } from '@countersign/counters';
import type { AppendOutcome, OutcomeListener } from '../append-event/batched-appender.js';
import type { CheckFacts } from '../domain/check-event.js';
import { CheckRecorder, type CheckRecorderParts } from './check-recorder.js';
import { PendingCheck } from './pending-check.js';

const ENTROPY = '07'.repeat(10);
const judgement = {
  nowMs: 1_790_000_000_000,
  entropy: ENTROPY,
  actionSalt: Buffer.alloc(16, 1).toString('base64url'),
  payloadSalt: Buffer.alloc(16, 2).toString('base64url'),
  outcome: 'allowed',
  violation: null,
  costMicros: 0,
  countsAction: true,
  countsRate: false,
  freezesAgent: false,
} as unknown as Judgement;
const facts = (keySha256: string | null): CheckFacts =>
  ({
    accountId: 'a',
    agentId: '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77',
    apiKeyId: 'k',
    cadenceSeconds: 1,
    sandbox: false,
    profileVersion: 1,
    profileSha256: 'ab'.repeat(32),
    storePayload: false,
    coverage: 'none',
    actionKind: 'other',
    action: { value: { type: 'a' }, canonical: '{"type":"a"}' },
    payload: null,
    idempotency: keySha256 === null ? null : { keySha256, bodySha256: 'cd'.repeat(32) },
    upgradeUrl: 'https://example.com/',
  }) as unknown as CheckFacts;

describe('a check whose deadline passed while its event was being appended', () => {
  /** Calls that report it as unanswered, with the claim of each. */
  async function reportsOf(keySha256: string | null, outcome: AppendOutcome): Promise<readonly boolean[]> {
    const reported: boolean[] = [];
    let listener: OutcomeListener | null = null;
    const add = (_check: unknown, claimed: boolean): void => void reported.push(claimed);
    const parts = {
      counters: {
        takeBack: () => Promise.resolve(),
        freeze: () => Promise.resolve(),
        answered: () => Promise.resolve(),
      },
      appender: { append: (_record: unknown, settled: OutcomeListener) => (listener = settled) },
      unanswered: { add, answered: () => undefined },
      log: { warn: () => undefined },
      recorded: () => undefined,
    } as unknown as CheckRecorderParts;
    const reply = { answer: () => undefined, refuse: () => undefined, unavailable: () => undefined };
    const observer = { unanswered: add, ended: () => undefined, failed: () => undefined };
    const check = new PendingCheck(reply, observer, 0, 1000, 0, () => 0);
    new CheckRecorder(parts).record(check, judgement, facts(keySha256));
    check.expire();
    (listener as OutcomeListener | null)!.settled(outcome);
    await new Promise((resolve) => setImmediate(resolve));
    return reported;
  }

  it('is reported once, whatever the outcome of the event', async () => {
    for (const outcome of ['durable', 'in-doubt', 'refused'] as const) {
      expect([outcome, await reportsOf(null, outcome)]).toEqual([outcome, [false]]);
    }
  });

  it('waits for its claim, unless the event is certainly not in the log', async () => {
    expect(await reportsOf('ef'.repeat(32), 'durable')).toEqual([true]);
    expect(await reportsOf('ef'.repeat(32), 'in-doubt')).toEqual([true]);
    expect(await reportsOf('ef'.repeat(32), 'refused')).toEqual([true, false]);
  });
});
