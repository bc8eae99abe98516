import { missingRight, powersOf, rightsMask, rightsOf } from './api-key-rights.js';
import { API_KEY_RIGHTS } from './records.js';

describe('what an API key may do', () => {
  it('is every right of the first key, whatever its record names', () => {
    expect(rightsOf({ first: true, rights: ['check'] })).toEqual(API_KEY_RIGHTS);
    expect(powersOf({ first: true })).toEqual({ rights: 0b111111, agents: null, expiresAtMs: Infinity, first: true });
  });

  it('is to check, report and scan by a record from before keys had rights', () => {
    expect(powersOf({})).toEqual({
      rights: rightsMask(['check', 'outcome', 'scan']),
      agents: null,
      expiresAtMs: Infinity,
      first: false,
    });
  });

  it('is what its record names, for its agents, until its end', () => {
    const powers = powersOf({ rights: ['policy'], agentIds: ['a'], expiresAt: '2026-03-01T00:00:00.000Z' });
    expect([powers.rights, [...powers.agents!], powers.expiresAtMs]).toEqual([0b100000, ['a'], Date.UTC(2026, 2, 1)]);
  });

  it('is over where the end is not a time', () => {
    expect(powersOf({ expiresAt: 'never' }).expiresAtMs).toBe(0);
  });

  it('has a bit of its own for each right', () => {
    expect(new Set(API_KEY_RIGHTS.map((right) => rightsMask([right]))).size).toBe(API_KEY_RIGHTS.length);
  });

  it('names the right that is missing, and the way to it', () => {
    expect(missingRight(['read', 'policy'])).toMatch(/the right "read" or "policy": .*"rights": \["read", "policy"\]/);
  });
});
