import type { BehaviorProfile } from '@countersign/contracts';
import { isAsDecided } from './as-decided.js';

const profile = { mode: 'enforce' } as BehaviorProfile;
const version = { version: 2, profile, computed: 'a', recorded: 'a', decisions: [], checks: 0 };
const by = (sha256: string) => ({ eventId: 'e', sha256 });

it('a version is as decided if every hash that is stated is the one that was computed', () => {
  expect(isAsDecided(version)).toBe(true);
  expect(isAsDecided({ ...version, recorded: null, decisions: [by('a')] })).toBe(true);
  expect(isAsDecided({ ...version, recorded: 'b' })).toBe(false);
  expect(isAsDecided({ ...version, decisions: [by('a'), by('b')] })).toBe(false);
  // Erased: nothing can be compared.
  expect(isAsDecided({ ...version, profile: null, computed: null })).toBe(false);
});
