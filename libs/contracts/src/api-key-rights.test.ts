import { missingRight, powersOf, rightsMask, rightsOf } from './api-key-rights.js';
import { API_KEY_RIGHTS } from './records.js';

describe('the rights of an API key', () => {
  it('are all rights for the first key, regardless of its record', () => {
    expect(rightsOf({ first: true, rights: ['check'] })).toEqual(API_KEY_RIGHTS);
    expect(powersOf({ first: true })).toEqual({ rights: 0b111111, agents: null, expiresAtMs: Infinity, first: true });
  });

  it('are check, outcome and scan for a record from before keys had rights', () => {
    expect(powersOf({})).toEqual({
      rights: rightsMask(['check', 'outcome', 'scan']),
      agents: null,
      expiresAtMs: Infinity,
      first: false,
    });
  });

  it('are those of its record, for its agents, until it expires', () => {
    const powers = powersOf({ rights: ['policy'], agentIds: ['a'], expiresAt: '2026-03-01T00:00:00.000Z' });
    expect([powers.rights, [...powers.agents!], powers.expiresAtMs]).toEqual([0b100000, ['a'], Date.UTC(2026, 2, 1)]);
  });

  it('have expired if the expiry is not a time', () => {
    expect(powersOf({ expiresAt: 'never' }).expiresAtMs).toBe(0);
  });

  it('have one bit each', () => {
    expect(new Set(API_KEY_RIGHTS.map((right) => rightsMask([right]))).size).toBe(API_KEY_RIGHTS.length);
  });

  it('are named in a refusal, with how to get them', () => {
    expect(missingRight(['read', 'policy'])).toMatch(/the right "read" or "policy": .*"rights": \["read", "policy"\]/);
  });
});
