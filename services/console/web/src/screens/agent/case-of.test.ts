import { caseOf, policyFileOf } from './case-of.js';

const ACTION = { type: 'wire' };

it('an answer becomes a case that expects it', () => {
  expect(caseOf('a', ACTION, { answer: { allowed: true } })).toEqual({ title: 'a', action: ACTION, expect: 'allowed' });
  const denied = { allowed: false, reason: 'no', severity: 'P1', violation_type: 'off_limits_action' } as const;
  const rule = 'off_limits_actions:wire';
  expect(caseOf('b', ACTION, { answer: { ...denied, rule } }).expect).toEqual({
    allowed: false,
    violation_type: 'off_limits_action',
    rule,
  });
  expect(caseOf('b', ACTION, { answer: denied }).expect).toEqual({
    allowed: false,
    violation_type: 'off_limits_action',
  });
});

it('a policy file has a profile or rules, and cases if there are any', () => {
  expect(policyFileOf({ profile: { mode: 'observe' } })).toEqual({ profile: { mode: 'observe' }, cases: [] });
  expect(policyFileOf({ id: 'x', rules: {}, cases: [1] })).toEqual({ rules: {}, cases: [1] });
  for (const wrong of [null, [], 'a', {}, { profile: {}, rules: {} }, { mode: 'observe' }]) {
    expect(policyFileOf(wrong)).toBeNull();
  }
});
