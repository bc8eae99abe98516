import type { Observation, PreparedTransaction, TransactionStatus } from '../port.js';
import { intentFor } from './intent.js';
import type { SubmissionIntent } from './intent.js';
import { nextStep } from './next-step.js';

const attempt = (name: string, lastValidBlockHeight: number): PreparedTransaction => ({
  signature: name,
  wire: `wire of ${name}`,
  blockhash: `hash of ${name}`,
  lastValidBlockHeight,
  preparedAtSlot: lastValidBlockHeight - 150,
});
const A = attempt('A', 200);
const B = attempt('B', 400);
const signed = (...attempts: PreparedTransaction[]): SubmissionIntent => ({ ...intentFor('m'), attempts });
const NOT_FOUND: TransactionStatus = { state: 'not-found' };
const seen = (
  finalizedBlockHeight: number,
  statuses: Record<string, TransactionStatus>,
  historyFromSlot: number | null = 0,
): Observation => ({ finalizedBlockHeight, historyFromSlot, statuses: new Map(Object.entries(statuses)) });

describe('nextStep', () => {
  it('signs when nothing was signed, whatever the chain says', () => {
    expect(nextStep(intentFor('m'), null)).toEqual({ step: 'sign', why: 'first' });
    expect(nextStep(intentFor('m'), seen(1, {}))).toEqual({ step: 'sign', why: 'first' });
  });

  it('looks up a transaction that an earlier process signed before anything else', () => {
    expect(nextStep(signed(A), null)).toEqual({ step: 'observe' });
    expect(nextStep(signed(A), seen(500, {}))).toEqual({ step: 'observe' });
    expect(nextStep(signed(A, B), seen(500, { B: NOT_FOUND }))).toEqual({ step: 'observe' });
  });

  it('dropped: sends the same bytes again while they can land', () => {
    for (const height of [60, 199, 200]) {
      expect(nextStep(signed(A), seen(height, { A: NOT_FOUND }))).toEqual({ step: 'send', wire: 'wire of A' });
    }
  });

  it('expired: signs again only beyond the last valid height and with a history that reaches back', () => {
    expect(nextStep(signed(A), seen(201, { A: NOT_FOUND }))).toEqual({ step: 'sign', why: 'expired' });
    expect(nextStep(signed(A), seen(201, { A: NOT_FOUND }, 50))).toEqual({ step: 'sign', why: 'expired' });
    expect(nextStep(signed(A), seen(201, { A: NOT_FOUND }, null))).toEqual({ step: 'sign', why: 'expired' });
    expect(nextStep(signed(A), seen(9999, { A: NOT_FOUND }, 51))).toEqual({ step: 'wait', why: 'history-too-short' });
  });

  it('does not consider a transaction in a block as expired', () => {
    const pending: TransactionStatus = { state: 'pending', slot: 190 };
    const confirmed: TransactionStatus = { state: 'confirmed', slot: 190, err: null };
    const confirmedWithError: TransactionStatus = { state: 'confirmed', slot: 190, err: 'AccountInUse' };
    for (const status of [pending, confirmed, confirmedWithError]) {
      expect(nextStep(signed(A), seen(5000, { A: status }))).toEqual({ step: 'wait', why: 'not-final' });
    }
  });

  it('records a final transaction', () => {
    const step = nextStep(signed(A), seen(250, { A: { state: 'finalized', slot: 199, err: null } }));
    expect(step).toEqual({ step: 'record', landed: { signature: 'A', slot: 199 } });
  });

  it('landed late: an earlier attempt that appears counts, the earliest of several', () => {
    const late: TransactionStatus = { state: 'finalized', slot: 198, err: null };
    const second: TransactionStatus = { state: 'finalized', slot: 300, err: null };
    const record = { step: 'record', landed: { signature: 'A', slot: 198 } };
    expect(nextStep(signed(A, B), seen(260, { A: late, B: NOT_FOUND }))).toEqual(record);
    expect(nextStep(signed(A, B), seen(320, { A: late, B: second }))).toEqual(record);
    const waits = nextStep(signed(A, B), seen(260, { A: { state: 'pending', slot: 198 }, B: NOT_FOUND }));
    expect(waits).toEqual({ step: 'wait', why: 'not-final' });
  });

  it('lagging node: does not sign a third time because a node is behind', () => {
    expect(nextStep(signed(A, B), seen(150, { A: NOT_FOUND, B: NOT_FOUND }))).toEqual({
      step: 'send',
      wire: 'wire of B',
    });
    expect(nextStep(signed(A, B), seen(401, { A: NOT_FOUND, B: NOT_FOUND }))).toEqual({
      step: 'sign',
      why: 'expired',
    });
  });

  it('fails a memo that is final with an error, unless another attempt can still land', () => {
    const failed: TransactionStatus = {
      state: 'finalized',
      slot: 198,
      err: { InstructionError: [0, 'InvalidArgument'] },
    };
    expect(nextStep(signed(A), seen(250, { A: failed }))).toEqual({
      step: 'failed',
      signature: 'A',
      err: { InstructionError: [0, 'InvalidArgument'] },
    });
    expect(nextStep(signed(A, B), seen(250, { A: failed, B: NOT_FOUND }))).toEqual({ step: 'send', wire: 'wire of B' });
  });

  it('does nothing more once it has been recorded', () => {
    const recorded = { ...signed(A), landed: { signature: 'A', slot: 1 } };
    expect(nextStep(recorded, null)).toEqual({ step: 'done' });
    expect(nextStep(recorded, seen(9999, { A: NOT_FOUND }))).toEqual({ step: 'done' });
  });
});
