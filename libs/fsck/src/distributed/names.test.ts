import { LAYOUT } from '../layout.js';
import { placeIn } from '../places.js';
import { inDistributedWords } from './names.js';

describe('inDistributedWords', () => {
  it('names collections and packages', () => {
    expect(inDistributedWords(`${LAYOUT.anchors} windows 60-1`)).toBe('MongoDB anchoring_windows 60-1');
    expect(inDistributedWords(`event is not in ${LAYOUT.archive}`)).toBe('event is not in MongoDB audit_log_*');
    expect(inDistributedWords(`${LAYOUT.anchors} has no window 60-1`)).toBe('MongoDB anchoring_* has no window 60-1');
    expect(inDistributedWords(`${LAYOUT.packages}/ab12 (report r)`)).toBe('GridFS reporting_packages/ab12 (report r)');
  });

  it('names places by offset and partition', () => {
    expect(inDistributedWords(`agent-events offset ${placeIn(3, 5)}`)).toBe('agent-events offset 5 of partition 3');
    expect(inDistributedWords(`${LAYOUT.archive} events n=${placeIn(11, 0)}`)).toBe(
      'MongoDB audit_log_events n=0 of partition 11',
    );
    expect(inDistributedWords(`agent-events offset ${placeIn(0, 5)}`)).toBe('agent-events offset 5');
  });

  it('leaves other numbers alone', () => {
    const text = 'dayMicros is 1500000000000, the log adds up to 1600000000000';
    expect(inDistributedWords(text)).toBe(text);
  });
});
