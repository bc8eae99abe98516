import type { BehaviorProfile, RuleMember } from '@countersign/contracts';
import { emptyProfile } from './profile-fields.js';
import { expectedMicros, profileFindings } from './profile-findings.js';
import { profileWarnings } from './profile-warnings.js';

const profile = (fields: Partial<BehaviorProfile>): BehaviorProfile => ({ ...emptyProfile(''), ...fields });
const rule = (id: string, member: Partial<RuleMember>): RuleMember => ({ id, effect: 'deny', ...member });

describe('findings about a profile', () => {
  it('name the element, its place, and what to write instead', () => {
    const when = 'has(action.tol_name)';
    expect(profileFindings(profile({ rules: [rule('a', { when })], allowed_apis: ['/srv'] }))).toEqual([
      {
        place: 'allowed_apis[0]',
        path: ['allowed_apis', 0],
        kind: 'no_effect',
        member: null,
        position: null,
        message: expect.stringMatching(/^is a path/),
        proposal: null,
        text: expect.stringMatching(/^allowed_apis\[0\] "\/srv" is a path/),
      },
      {
        place: 'rules:a',
        path: ['rules', 0],
        kind: 'unknown_member',
        member: 'when',
        position: { start: 11, end: 19 },
        message: expect.stringMatching(/Did you mean action\.tool_name\?$/),
        proposal: 'action.tool_name',
        text: expect.stringMatching(
          /^rules\[0\] "a", when, at 11: reads action\.tol_name.*Did you mean action\.tool_name\?$/,
        ),
      },
    ]);
  });

  it('are the problems of rules that are refused, and their cost is not known', () => {
    const refused = profile({ rules: [rule('a', { when: 'args.amount > 5' })] });
    expect(profileFindings(refused)).toMatchObject([
      { place: 'rules:a', path: ['rules', 0], kind: 'refused', position: { start: 0 }, proposal: expect.any(String) },
    ]);
    expect(expectedMicros(refused)).toBeNull();
  });

  it('include rules for tools that off_limits_actions denies', () => {
    const rules = [
      rule('a', { tools: ['crm.delete', 'pay'] }),
      rule('b', { tools: ['crm.delete', 'read'] }),
      rule('c', {}),
    ];
    const findings = profileFindings(profile({ rules: rules.slice(0, 2), off_limits_actions: ['crm.*', 'pay'] }));
    expect(findings.map(({ place, kind }) => [place, kind])).toEqual([['rules:a', 'hidden']]);
  });

  it('include rules that ask people about payloads that are not stored', () => {
    const rules = [rule('a', {}), rule('b', { effect: 'approve', tools: ['wire'] })];
    const unseen = (more: Partial<BehaviorProfile>, isPart = false) =>
      profileFindings(profile({ rules, ...more }), { isPart }).filter(({ kind }) => kind === 'unseen');
    expect(unseen({})).toMatchObject([{ place: 'rules:b', path: ['rules', 1], proposal: 'set store_payload to true' }]);
    expect(profileWarnings(profile({ rules }))).toContain(
      'rules[1] "b": asks people about payloads that they cannot see, because store_payload is off; set store_payload to true',
    );
    expect([unseen({ store_payload: true }), unseen({}, true)]).toEqual([[], []]);
  });

  it('include members that no schema of a tool has', () => {
    const schemas = { refund: { type: 'object', properties: { amount: { type: 'number' } } } };
    const of = (args: RuleMember['args']) =>
      profileFindings(profile({ rules: [rule('a', { tools: ['refund'], args: args! })] }), { schemas });
    expect(of({ amuont: { max: 5 } })).toMatchObject([
      { kind: 'unknown_member', member: 'args.amuont', proposal: 'args.amount' },
    ]);
    expect(of({ amount: { max: 5 } })).toEqual([]);
  });

  it('are nothing for a profile without rules, which costs nothing', () => {
    expect(profileFindings(profile({}))).toEqual([]);
    expect(expectedMicros(profile({}))).toBe(0);
    expect(expectedMicros(profile({ rules: [rule('a', { args: { n: { max: 5 } } })] }))).toBeGreaterThan(0);
  });
});

it('a profile that is saved has warnings of its rules', () => {
  const rules = [rule('a', { args: { n: { max: 100 } } }), rule('b', { args: { n: { max: 50 } } })];
  expect(profileWarnings(profile({ rules }))).toEqual([
    'rules[1] "b": has no effect: rules:a denies whatever it denies; remove the rule',
  ]);
});
