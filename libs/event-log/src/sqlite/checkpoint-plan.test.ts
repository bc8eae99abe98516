import { BEGIN_FRAMES, LIMIT_FRAMES, nextStep, RESET_FRAMES, RETRY_FRAMES } from './checkpoint-plan.js';
import type { CheckpointState } from './checkpoint-plan.js';

const step = (frames: number, moved: number, state: Partial<Omit<CheckpointState, 'wal'>> = {}) =>
  nextStep({ wal: { frames, moved }, underWay: false, ended: false, heldUpAt: null, begunAt: null, ...state });

describe('the plan of checkpoints', () => {
  it('does nothing while the write-ahead log is short', () => {
    expect(step(0, 0)).toBe('none');
    expect(step(BEGIN_FRAMES - 1, 0)).toBe('none');
    expect(step(RESET_FRAMES - 1, RESET_FRAMES - BEGIN_FRAMES)).toBe('none');
  });

  it('starts a run of the thread once enough frames have accumulated, one at a time', () => {
    expect(step(BEGIN_FRAMES, 0)).toBe('begin');
    expect(step(BEGIN_FRAMES, 0, { underWay: true })).toBe('none');
    expect(step(BEGIN_FRAMES, 0, { ended: true })).toBe('begin');
  });

  it('finishes a long one right after a run', () => {
    expect(step(RESET_FRAMES, RESET_FRAMES - 5)).toBe('begin');
    expect(step(RESET_FRAMES, RESET_FRAMES - 5, { underWay: true })).toBe('none');
    expect(step(RESET_FRAMES, RESET_FRAMES - 5, { ended: true })).toBe('finish');
    expect(step(RESET_FRAMES, RESET_FRAMES, { ended: true })).toBe('none');
  });

  it('finishes all at the limit, whatever the thread does', () => {
    for (const underWay of [false, true]) expect(step(LIMIT_FRAMES, 0, { underWay })).toBe('finish-first');
    expect(step(LIMIT_FRAMES, LIMIT_FRAMES)).toBe('none');
  });

  it('retries after some frames where a reader delayed it, and at once in a new log', () => {
    const heldUpAt = LIMIT_FRAMES + 10;
    expect(step(heldUpAt + 1, LIMIT_FRAMES, { heldUpAt })).toBe('none');
    expect(step(heldUpAt + RETRY_FRAMES, LIMIT_FRAMES, { heldUpAt })).toBe('finish-first');
    expect(step(RESET_FRAMES, RESET_FRAMES - 1, { heldUpAt, ended: true })).toBe('finish');
  });

  it('asks the thread again only after some frames while a reader keeps it from moving them', () => {
    const begunAt = BEGIN_FRAMES;
    expect(step(begunAt + 1, 0, { begunAt, ended: true })).toBe('none');
    expect(step(begunAt + RETRY_FRAMES - 1, 0, { begunAt })).toBe('none');
    expect(step(begunAt + RETRY_FRAMES, 0, { begunAt })).toBe('begin');
    expect(step(BEGIN_FRAMES, 0, { begunAt: RESET_FRAMES })).toBe('begin');
  });
});
