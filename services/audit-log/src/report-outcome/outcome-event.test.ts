import { randomBytes } from 'node:crypto';
import { readEnvelope, isUuidV7 } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/service-kit';
import type { ReportedOutcome } from '@countersign/contracts';
import { ACCOUNT, denied, envelope, eventId, START } from '../testing/envelopes.js';
import { outcomeEvent, outcomeEventId } from './outcome-event.js';

const { sha256 } = nodeCrypto;
const of = (check = envelope(1).leaf, outcome: ReportedOutcome = 'succeeded', detail: string | null = null) =>
  outcomeEvent(
    { check, outcome, detail, accountId: ACCOUNT, apiKeyId: 'key', cadenceSeconds: 1 },
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

  it('commits what is told of it', () => {
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
