import { randomBytes } from 'node:crypto';
import { readEnvelope, isUuidV7 } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ReportedOutcome } from '@countersign/contracts';
import { ACCOUNT, denied, envelope, eventId, START } from '../testing/envelopes.js';
import { GIVES_BACK_MS, NOTHING_RETURNED, outcomeEvent, outcomeEventId, returnedBy } from './outcome-event.js';

const { sha256 } = nodeCrypto;
const of = (check = envelope(1).leaf, outcome: ReportedOutcome = 'succeeded', detail: string | null = null) =>
  outcomeEvent(
    { check, outcome, detail, accountId: ACCOUNT, apiKeyId: 'key', cadenceSeconds: 1, ...NOTHING_RETURNED },
    START + 5000,
    randomBytes,
    sha256,
  );

describe('the event of an outcome', () => {
  it('is a leaf that refers to its check', () => {
    const made = of();
    expect(readEnvelope(made)).toEqual({ ok: true, value: made });
    expect(made).toMatchObject({ accountId: ACCOUNT, apiKeyId: 'key', countsAction: false, openings: {} });
    expect(made.leaf).toMatchObject({ refersTo: eventId(1), outcome: 'succeeded', action: null, payload: null });
  });

  it('has the same id for each report of one check, and another for another check', () => {
    expect(of(envelope(1).leaf, 'failed', 'x').leaf.eventId).toBe(of().leaf.eventId);
    expect(of(envelope(2).leaf).leaf.eventId).not.toBe(of().leaf.eventId);
    expect(isUuidV7(outcomeEventId(eventId(3), sha256))).toBe(true);
  });

  it('commits what is reported of it', () => {
    const [one, other] = [of(undefined, 'failed', 'no answer'), of(undefined, 'failed', 'no answer')];
    expect(readEnvelope(one).ok).toBe(true);
    expect(one.openings).toMatchObject({ payload: { value: 'no answer' } });
    expect(JSON.stringify(one.leaf)).not.toContain('no answer');
    expect(one.leaf.payload).not.toBe(other.leaf.payload);
  });

  it('says that a refused check was executed', () => {
    const refused = denied(4).leaf;
    for (const outcome of ['succeeded', 'failed'] as const) {
      expect(of(refused, outcome)).toMatchObject({ executedRefusal: true });
    }
    expect(of(refused, 'skipped')).not.toHaveProperty('executedRefusal');
    expect(of(envelope(1).leaf, 'failed')).not.toHaveProperty('executedRefusal');
  });
});

describe('what an outcome gives back', () => {
  const { leaf } = envelope(1);
  const amount = { units: 12, nanos: 500_000_000 };
  const limits = [
    { key: 'held', windowSeconds: 60, amount, reserve: true },
    { key: 'counted', windowSeconds: 60, amount, reserve: false },
  ];
  const check = { leaf, costMicros: 80, order: 7, ruleCounts: { facts: [], limits } };
  const atMs = Date.parse(leaf.occurredAt);

  it('is all that a skipped check counted and reserved, with the time at which it did', () => {
    const returned = returnedBy(check, 'skipped', [], atMs + GIVES_BACK_MS - 1);
    expect(returned).toEqual({
      givesBack: { costMicros: 80, occurredAt: leaf.occurredAt },
      givesBackHeld: [{ key: 'held', order: 7, atMs, amount }],
    });
    const by = { accountId: ACCOUNT, apiKeyId: 'k', cadenceSeconds: 1 };
    const made = outcomeEvent(
      { check: leaf, outcome: 'skipped', detail: null, ...by, ...returned },
      atMs,
      randomBytes,
      sha256,
    );
    expect(readEnvelope(made)).toEqual({ ok: true, value: made });
    expect(made).toMatchObject(returned);
    for (const wrong of [{}, { costMicros: 0, occurredAt: leaf.occurredAt }, { costMicros: 1, occurredAt: 'today' }]) {
      expect(readEnvelope({ ...made, givesBack: wrong }).ok).toBe(false);
    }
    for (const wrong of [{}, [{ key: 'held' }], [{ key: 'held', order: 0, atMs, amount }]]) {
      expect(readEnvelope({ ...made, givesBackHeld: wrong }).ok).toBe(false);
    }
  });

  it('is either of both, where the check has only one', () => {
    const held = [{ key: 'held', order: 7, atMs, amount }];
    const reserved = { ...check, costMicros: 0 };
    expect(returnedBy(reserved, 'skipped', [], atMs)).toEqual({ givesBack: null, givesBackHeld: held });
    const spent = { leaf, costMicros: 80 };
    expect(returnedBy(spent, 'skipped', [], atMs)).toMatchObject({ givesBack: { costMicros: 80 }, givesBackHeld: [] });
    expect(of(leaf, 'skipped')).not.toHaveProperty('givesBackHeld');
  });

  it('is nothing of what was executed, counted nothing, was observed, was refused, is unanswered or a day old', () => {
    const none = (...asked: Parameters<typeof returnedBy>) => expect(returnedBy(...asked)).toEqual(NOTHING_RETURNED);
    none(check, 'failed', [], atMs);
    none(check, 'succeeded', [], atMs);
    none({ leaf, costMicros: 0 }, 'skipped', [], atMs);
    const observed = { ...leaf, violation_type: 'spending_limit_exceeded' } as const;
    none({ ...check, leaf: observed }, 'skipped', [], atMs);
    none({ ...check, leaf: { ...leaf, allowed: false } }, 'skipped', [], atMs);
    none(check, 'skipped', [{ type: 'action.unanswered' }], atMs);
    none(check, 'skipped', [], atMs + GIVES_BACK_MS);
  });
});
