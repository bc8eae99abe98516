import type { ApprovalRecord, ApprovalSummary } from '@countersign/contracts';
import { listText, recordText } from './describe-approvals.js';
import { visible, visibleJson } from './visible.js';

const HOSTILE = 'a\u001b[2J\u009b1mb\u202ec\u2028d\u200be\u115ff\nVERIFIED';
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u115f]/;

const SUMMARY: ApprovalSummary = {
  ...{ id: 'apr_1', state: 'pending', agent_id: 'agent', rule: HOSTILE, expires_at: '2026-01-01T00:10:00.000Z' },
  ...{ requested_at: '2026-01-01T00:00:00.000Z', usable_until: null, may_decide: true, why_not: null },
};
const RECORD: ApprovalRecord = {
  ...SUMMARY,
  ...{ event_id: 'event', rule_sha256: 'aa', binding_sha256: 'bb', shown_sha256: 'cc', rule_member: null },
  approvers: { roles: [HOSTILE], users: [HOSTILE], min: 2, not_requester: true },
  ...{ reuse: null, requester: { api_key_id: 'key', principal: HOSTILE } },
  ...{ action: { type: HOSTILE, [HOSTILE]: 'x'.repeat(5000) }, payload: [HOSTILE], action_missing: null },
  decisions: [
    {
      ...{ decision: 'deny', user_id: 'bob', role: 'admin', decided_at: '2026-01-01T00:00:04.500Z', latency_ms: 4500 },
      ...{ comment: HOSTILE, shown_sha256: null },
    },
  ],
  used_by: ['used'],
};

describe('approvals in a terminal', () => {
  it('writes what a terminal obeys or hides as escapes, and cuts nothing off', () => {
    expect(visible(HOSTILE)).toBe('a\\u001b[2J\\u009b1mb\\u202ec\\u2028d\\u200be\\u115ff\\u000aVERIFIED');
    expect(JSON.parse(visibleJson(RECORD))).toEqual(RECORD);
    for (const text of [listText([SUMMARY], true), recordText(RECORD), visibleJson(RECORD)]) {
      expect(text).not.toMatch(OBEYED);
      expect(text).not.toMatch(/^VERIFIED/m);
    }
    expect(recordText(RECORD)).toContain('x'.repeat(5000));
    const erased = recordText({ ...RECORD, action: null, action_missing: HOSTILE, why_not: HOSTILE });
    expect(erased).not.toMatch(OBEYED);
  });

  it('says who may decide, what was decided and who used it', () => {
    const lines = recordText({ ...RECORD, approvers: {}, requester: { api_key_id: 'key', principal: null } }).split(
      '\n',
    );
    expect(lines).toContain('approvers  members and admins');
    expect(lines).toContain('requester  API key key');
    expect(lines).toContain('you        may decide');
    expect(lines).toContain('shown      cc');
    expect(lines.find((line) => line.startsWith('denied by'))).toMatch(
      /^denied by bob \(admin\) at 2026-01-01T00:00:04.500Z, 4.5 s after the request: "/,
    );
    expect(lines).toContain('used by check used');
  });

  it('shows the state alone where that is all that the service shows', () => {
    const { id, state, agent_id, rule, expires_at } = RECORD;
    expect(recordText({ id, state, agent_id, rule, expires_at })).toContain(
      'the action is shown to those who may decide',
    );
  });

  it('lists one approval in a line, and says where there are more or none', () => {
    expect(listText([SUMMARY, { ...SUMMARY, may_decide: false }], true).split('\n')).toEqual([
      expect.stringMatching(/^apr_1 {2}pending {3}.* you may decide$/),
      expect.stringMatching(/^apr_1 .*VERIFIED$/),
      'and more: see --most',
      '',
    ]);
    expect(listText([], false)).toBe('no approvals\n');
  });
});
