import type { BehaviorProfile } from '@countersign/contracts';
import { comparisonOf } from './as-decided.js';

const profile = { mode: 'enforce' } as BehaviorProfile;
const version = { version: 2, profile, computed: 'a', recorded: 'a', decisions: [], checks: 0 };
const by = (sha256: string) => ({ eventId: 'e', sha256 });

it('a version holds if every hash that is stated is the one that was computed', () => {
  expect(comparisonOf(version)).toBe('holds');
  expect(comparisonOf({ ...version, recorded: null, decisions: [by('a')] })).toBe('holds');
  expect(comparisonOf({ ...version, recorded: 'b' })).toBe('differs');
  expect(comparisonOf({ ...version, decisions: [by('a'), by('b')] })).toBe('differs');
  // Nothing can be compared.
  expect(comparisonOf({ ...version, recorded: null })).toBe('unstated');
  expect(comparisonOf({ ...version, profile: null, computed: null })).toBe('erased');
});
