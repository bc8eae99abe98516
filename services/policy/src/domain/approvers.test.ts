import { isApprover, mayRead, whyNot } from './approvers.js';
import type { Involved, Person } from './approvers.js';

const BOB: Person = { userId: 'u-bob', email: 'Bob@Example.com', role: 'member' };
const NONE: Involved = { keyIssuer: null, policyEditor: null };
const approval = (approvers?: object, more: object = {}): Parameters<typeof whyNot>[0] => ({
  requester: { apiKeyId: 'key' },
  decisions: [],
  ...(approvers === undefined ? {} : { approvers }),
  ...more,
});
const why = (of: Parameters<typeof whyNot>[0], involved: Partial<Involved> = {}, person = BOB): string | null =>
  whyNot(of, person, { ...NONE, ...involved });

describe('who decides about an approval', () => {
  it('is who may change the profile where the rule names none', () => {
    expect(why(approval())).toBeNull();
    expect(why(approval({ min: 2 }))).toBeNull();
    expect(why(approval(), {}, { ...BOB, role: 'admin' })).toBeNull();
    expect(why(approval(), {}, { ...BOB, role: 'auditor' })).toContain('auditors');
    expect(why(approval({ roles: ['auditor'] }), {}, { ...BOB, role: 'auditor' })).toContain('auditors');
  });

  it('is who has a named role, or is named by id or e-mail address in any case', () => {
    expect(isApprover(approval({ roles: ['admin'] }), BOB)).toBe(false);
    expect(isApprover(approval({ roles: ['admin', 'member'] }), BOB)).toBe(true);
    expect(isApprover(approval({ roles: ['admin'], users: ['bob@example.COM'] }), BOB)).toBe(true);
    expect(isApprover(approval({ users: ['U-BOB'] }), BOB)).toBe(true);
    expect(isApprover(approval({ users: ['eve@example.com'] }), { ...BOB, role: 'admin' })).toBe(false);
    expect(isApprover(approval({ roles: ['treasurer'] }), { ...BOB, role: 'admin' })).toBe(false);
  });

  it('is not the requester where the rule says so: who issued the key, or is its principal', () => {
    const rule = { not_requester: true };
    expect(why(approval(rule), { keyIssuer: 'u-bob' })).toContain('you are the requester');
    expect(why(approval(rule), { keyIssuer: 'u-eve' })).toBeNull();
    for (const principal of ['u-bob', ' BOB@example.com ']) {
      const asked = approval(rule, { requester: { apiKeyId: 'key', principal } });
      expect(why(asked, { keyIssuer: 'u-eve' })).toContain('you are the requester');
      expect(why(approval({}, { requester: { apiKeyId: 'key', principal } }))).toBeNull();
    }
    expect(why(approval({}), { keyIssuer: 'u-bob' })).toBeNull();
    expect(why(approval(rule))).toContain('is not known');
  });

  it('is not who changed the profile last where the rule says so', () => {
    expect(why(approval({ not_policy_editor: true }), { policyEditor: 'u-bob' })).toContain('changed the profile');
    expect(why(approval({ not_policy_editor: true }), { policyEditor: 'u-eve' })).toBeNull();
    expect(why(approval({ not_policy_editor: true }))).toContain('is not known');
    expect(why(approval({}), { policyEditor: 'u-bob' })).toBeNull();
  });

  it('is each person once', () => {
    const decisions = [{ decision: 'approve', userId: 'u-bob', role: 'member', atMs: 1 }];
    expect(why(approval({ min: 2 }, { decisions }))).toContain('you have decided');
  });

  it('shows the action to approvers and auditors alone', () => {
    expect(mayRead(approval({ roles: ['admin'] }), BOB)).toBe(false);
    expect(mayRead(approval({ roles: ['admin'] }), { ...BOB, role: 'auditor' })).toBe(true);
    expect(mayRead(approval({ users: ['u-bob'] }), BOB)).toBe(true);
  });
});
