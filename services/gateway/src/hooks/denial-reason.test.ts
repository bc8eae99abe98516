import { verdictOf } from './denial-reason.js';

const answer = (body: object, status: 200 | 403 = 200) => ({
  status,
  body: JSON.stringify(body),
  eventId: 'e1',
  coverage: null,
  wouldDeny: null,
});

describe('the reason of a denial', () => {
  it('names rule and event', () => {
    const said = verdictOf(answer({ allowed: false, reason: 'too much', rule: 'rules:cap' }));
    expect(said).toMatchObject({ allowed: false, needsApproval: false });
    expect(said.reason).toContain('Countersign denied this: too much. (rule rules:cap, event e1)');
    const named = verdictOf(answer({ allowed: false, reason: 'Off limits (rule x: y).', rule: 'x:y' }));
    expect(named.reason).toContain('Off limits (rule x: y). (event e1)');
  });

  it('says that an approval is required', () => {
    const body = { allowed: false, reason: 'a person', violation_type: 'approval_required' };
    const said = verdictOf(answer({ ...body, code: 'approval_pending' }));
    expect(said.needsApproval).toBe(true);
    expect(said.reason).toContain('Countersign requires an approval for this: a person.');
    for (const code of ['approval_denied', 'approval_expired', 'out_of_scope', 'too_many_pending', undefined]) {
      const denied = verdictOf(answer(code === undefined ? body : { ...body, code }));
      expect([denied.needsApproval, denied.reason.startsWith('Countersign denied this: a person.')]).toEqual([
        false,
        true,
      ]);
    }
  });

  it('says in which form, or after what, the action can be allowed', () => {
    const patch = [{ op: 'replace', path: '/payload/amount', value: 100 }];
    const modify = verdictOf(answer({ allowed: false, reason: 'too much', decision: 'modify', patch }));
    expect(modify).toMatchObject({ allowed: false, needsApproval: false });
    expect(modify.reason).toContain(JSON.stringify(patch));
    const waits = { decision: 'defer', missing: ['facts.kyc_done'], retry_after: 120 };
    const defer = verdictOf(answer({ allowed: false, reason: 'not yet', ...waits }));
    expect(defer.reason).toContain('It waits for: facts.kyc_done. Provide that, and call it again after 120 seconds');
  });

  it('is one also where the status refuses', () => {
    expect(verdictOf(answer({ allowed: true }, 403)).allowed).toBe(false);
    expect(verdictOf(answer({ allowed: true })).allowed).toBe(true);
  });
});
