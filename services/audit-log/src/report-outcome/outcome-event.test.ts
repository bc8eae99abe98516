import { randomBytes } from 'node:crypto';
import { readEnvelope, isUuidV7 } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ReportedOutcome } from '@countersign/contracts';
import { ACCOUNT, denied, envelope, eventId, START } from '../testing/envelopes.js';
import { givenBack, GIVES_BACK_MS, outcomeEvent, outcomeEventId } from './outcome-event.js';

const { sha256 } = nodeCrypto;
const of = (check = envelope(1).leaf, outcome: ReportedOutcome = 'succeeded', detail: string | null = null) =>
  outcomeEvent(
    { check, outcome, detail, accountId: ACCOUNT, apiKeyId: 'key', cadenceSeconds: 1, givesBack: null },
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
  const check = { leaf, costMicros: 80 };
  const atMs = Date.parse(leaf.occurredAt);

  it('is all that a skipped check counted, with the time at which it did', () => {
    const given = givenBack(check, 'skipped', [], atMs + GIVES_BACK_MS - 1);
    expect(given).toEqual({ costMicros: 80, occurredAt: leaf.occurredAt });
    const made = outcomeEvent(
      {
        check: leaf,
        outcome: 'skipped',
        detail: null,
        accountId: ACCOUNT,
        apiKeyId: 'k',
        cadenceSeconds: 1,
        givesBack: given,
      },
      atMs,
      randomBytes,
      sha256,
    );
    expect(readEnvelope(made)).toEqual({ ok: true, value: made });
    expect(made.givesBack).toEqual(given);
    for (const wrong of [{}, { costMicros: 0, occurredAt: leaf.occurredAt }, { costMicros: 1, occurredAt: 'today' }]) {
      expect(readEnvelope({ ...made, givesBack: wrong }).ok).toBe(false);
    }
  });

  it('is nothing of what was executed, counted nothing, was observed, was refused, is unanswered or a day old', () => {
    expect(givenBack(check, 'failed', [], atMs)).toBeNull();
    expect(givenBack(check, 'succeeded', [], atMs)).toBeNull();
    expect(givenBack({ leaf, costMicros: 0 }, 'skipped', [], atMs)).toBeNull();
    const observed = { ...leaf, violation_type: 'spending_limit_exceeded' } as const;
    expect(givenBack({ ...check, leaf: observed }, 'skipped', [], atMs)).toBeNull();
    expect(givenBack({ ...check, leaf: { ...leaf, allowed: false } }, 'skipped', [], atMs)).toBeNull();
    expect(givenBack(check, 'skipped', [{ type: 'action.unanswered' }], atMs)).toBeNull();
    expect(givenBack(check, 'skipped', [], atMs + GIVES_BACK_MS)).toBeNull();
  });
});
