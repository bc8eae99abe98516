import type { BehaviorProfile } from '@countersign/contracts';
import { compileProfile } from '../compile-profile.js';
import { decide } from '../decide.js';
import { emptyProfile } from './profile-fields.js';
import { readProfilePatch } from './read-patch.js';
import { strictestOf } from './strictest-of.js';

const profile = (rules: Partial<BehaviorProfile>): BehaviorProfile => ({ ...emptyProfile('a'), ...rules });

describe('the strictest of several profiles', () => {
  it('is the profile where there is one, and no rule where there is none', () => {
    const {
      agent_id: _id,
      version: _version,
      ...rules
    } = profile({
      allowed_apis: ['a.example'],
      spending_limit: 3,
      spending_window: 'month',
      rate_limit: { max: 1, per_seconds: 9 },
      off_limits_actions: ['wire'],
      freeze_on_violation: true,
      store_payload: true,
      mode: 'observe',
      output_rules: { blocked_pii: ['email'], block_secrets: true, blocked_topics: ['x'], max_length: 5 },
    });
    expect(strictestOf([profile(rules)])).toEqual(rules);
    const { agent_id: _a, version: _v, ...none } = emptyProfile('a');
    expect(strictestOf([])).toEqual(none);
  });

  it('unites what is blocked, and keeps what each allow-list covers', () => {
    const merged = strictestOf([
      profile({
        allowed_apis: ['api.example', '*.a.example', 'crm.*'],
        blocked_apis: ['x.example'],
        allowed_data_scopes: ['crm/*'],
      }),
      profile({
        allowed_apis: ['api.example', '*.b.a.example', 'crm.get.*', 'crm.lookup', 'https://api.example/v1'],
        blocked_apis: ['y.example'],
        allowed_data_scopes: ['crm/orders', 'hr/people'],
      }),
      profile({ mode: 'observe', require: ['cost'] }),
    ]);
    expect(merged).toMatchObject({
      allowed_apis: ['api.example', '*.b.a.example', 'crm.get.*'],
      blocked_apis: ['x.example', 'y.example'],
      require: ['cost'],
      allowed_data_scopes: ['crm/orders'],
      off_limits_actions: [],
      mode: 'enforce',
    });
    expect(readProfilePatch(merged)).toHaveProperty('patch');
  });

  it('allows no address in the arguments of a tool where allow-lists have only tools in common', () => {
    const given = [
      profile({ allowed_apis: ['fetch', 'a.example'] }),
      profile({ allowed_apis: ['fetch', 'b.example'] }),
    ];
    const merged = strictestOf(given);
    expect(readProfilePatch(merged)).toHaveProperty('patch');
    const compiled = compileProfile({ ...merged, agent_id: 'a', version: 1 });
    const call = (payload: object) => decide(compiled, { type: 'tool_use', tool_name: 'fetch', payload }).violation;
    expect(call({ url: 'https://a.example/' })).toMatchObject({ rule: 'allowed_apis:not listed' });
    expect(call({ order: '17' })).toBeNull();
    expect(strictestOf([given[0]!, profile({ allowed_apis: ['fetch', 'a.example', 'crm.*'] })]).allowed_apis).toEqual([
      'fetch',
      'a.example',
    ]);
  });

  it('names in what is missing the fact that the rule reads, where that got another name', () => {
    const fact = (set_when: string) => [{ id: 'kyc_done', set_when }];
    const rule = {
      id: 'kyc',
      effect: 'defer',
      when: '!facts.kyc_done',
      missing: ['facts.kyc_done', 'a form'],
    } as const;
    const merged = strictestOf([
      profile({ facts: fact("action.type == 'kyc'") }),
      profile({ facts: fact("action.type == 'other'"), rules: [rule] }),
    ]);
    expect(merged.rules).toEqual([{ ...rule, when: '!facts.kyc_done_2', missing: ['facts.kyc_done_2', 'a form'] }]);
  });

  it('denies everything where allow-lists have nothing in common', () => {
    const merged = strictestOf([profile({ allowed_actions: ['read'] }), profile({ allowed_actions: ['write'] })]);
    const compiled = compileProfile({ ...merged, agent_id: 'a', version: 1 });
    for (const type of ['read', 'write', 'other']) {
      expect(decide(compiled, { type }).violation).toMatchObject({ violation_type: 'off_limits_action' });
    }
  });
});
