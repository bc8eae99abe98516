import type { Drill } from './restore-drill.js';
import { showDrill } from './show-drill.js';

const DRILL: Drill = {
  manifest: {
    format: 1,
    takenAt: '2026-03-01T12:00:00.000Z',
    newestEventAt: '2026-03-01T11:58:30.000Z',
    files: {},
  },
  files: 16,
  bytes: 3 * 1024 * 1024,
  problems: [],
  examination: null,
  verified: 'the report abc',
  seconds: { copy: 1.24, check: 2, start: 3.5 },
};
const NOW = Date.parse('2026-03-01T15:00:00.000Z');

describe('the text of a drill', () => {
  it('says what was verified, the recovery time and the recovery point', () => {
    const text = showDrill('/backup', DRILL, NOW);
    expect(text).toContain('16 files with 3.0 MiB were copied and hashed in 1.2 s.');
    expect(text).toContain('Verified with it: the report abc.');
    expect(text).toContain('Recovery time: 4.7 s (copy 1.2 s, start 3.5 s).');
    expect(text).toContain(
      'Recovery point: 2026-03-01T12:00:00.000Z, 3 h ago; newest event 2026-03-01T11:58:30.000Z, 3 h ago.',
    );
    expect(text.trimEnd().endsWith('PASSED: this backup can be restored.')).toBe(true);
  });

  it('says that nothing was started, and every problem, if the copy is not whole', () => {
    const text = showDrill('/backup', { ...DRILL, verified: null, problems: ['log.db is missing'] }, NOW);
    expect(text).toContain('  !!  log.db is missing');
    expect(text).not.toContain('Recovery time');
    expect(text).toContain('FAILED: do not rely on this backup.');
  });
});
