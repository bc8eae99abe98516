import { nodeCrypto } from '@countersign/process/node-crypto';
import { opens, readEnvelope } from '@countersign/evidence';
import type { EventEnvelope } from '@countersign/contracts';
import { AGENT, OTHER_ACCOUNT } from '../policy.test-context.js';
import { approvalFacts, commentsAtMs, decided, ended, recordVersion } from './approval.js';
import type { Approval, Decision } from './approval.js';
import { approvalEvent, entropyOf } from './approval-event.js';
import { APPROVAL, asking, checkId, erasing, EXPIRES_MS, T, using } from './approvals.test-context.js';
import { followApprovals, readApprovalNews } from './follow-approvals.js';
import type { ChangedApproval } from './follow-approvals.js';

const by = (userId: string, decision: Decision['decision'] = 'approve', ms = 5_000): Decision => ({
  decision,
  userId,
  role: 'admin',
  atMs: T + ms,
});

function follow(envelopes: readonly EventEnvelope[], known: Approval | null = null): readonly ChangedApproval[] {
  return followApprovals(
    envelopes.flatMap((envelope) => readApprovalNews(envelope) ?? []),
    (id) => (known?.id === id ? known : null),
  );
}

/** The approval of check 1, pending. */
const opened = (over: Parameters<typeof asking>[1] = {}): Approval => follow([asking(1, over)])[0]!.approval;

describe('following approvals', () => {
  it('opens one by the first check that asks, once', () => {
    const [one, ...others] = follow([asking(1), asking(2)]);
    expect(others).toEqual([]);
    expect(one?.events).toEqual([{ type: 'approval.requested', refersTo: checkId(1), occurredAtMs: T + 1 }]);
    expect(one?.approval).toMatchObject({
      id: APPROVAL,
      agentId: AGENT,
      state: 'pending',
      eventId: checkId(1),
      requestedAtMs: T + 1,
      expiresAtMs: EXPIRES_MS,
      isOver: false,
    });
    expect(follow([asking(2)], opened())).toEqual([]);
  });

  it('ends one that a check has used up, and counts the uses of one that may be used again', () => {
    const approved = decided(opened(), by('bob'));
    const [one] = follow([using(2)], approved);
    expect(one).toMatchObject({ approval: { state: 'consumed', isOver: true, usedBy: [checkId(2)] } });
    expect(one?.events).toEqual([{ type: 'approval.consumed', refersTo: checkId(2), occurredAtMs: T + 2 }]);
    expect(follow([using(2)], one!.approval)).toEqual([]);
    const [again] = follow([using(2, { state: 'used' }), using(3, { state: 'used' })], approved);
    expect(again).toMatchObject({ events: [], approval: { state: 'approved', usedBy: [checkId(2), checkId(3)] } });
  });

  it('opens and uses one in the same batch', () => {
    const [one] = follow([asking(1), using(2)]);
    expect(one?.events.map(({ type }) => type)).toEqual(['approval.requested', 'approval.consumed']);
  });

  it('leaves the approval of another account or agent alone', () => {
    expect(follow([{ ...using(2), accountId: OTHER_ACCOUNT }], decided(opened(), by('bob')))).toEqual([]);
    const leaf = { ...using(2).leaf, agentId: 'bbbbbbbb-aaaa-4aaa-8aaa-aaaaaaaaaaaa' };
    expect(follow([{ ...using(2), leaf }], decided(opened(), by('bob')))).toEqual([]);
    expect(follow([using(2)])).toEqual([]);
  });

  it('commits comments in one event, and erases them with its content, also where both come in one batch', () => {
    const after = decided(opened(), { ...by('eve'), comment: 'Called Ms Example' });
    const entropy = { id: new Uint8Array(10), salt: new Uint8Array(16) };
    const decidedEvent = { type: 'approval.decided', refersTo: checkId(1), occurredAtMs: T + 5_000 } as const;
    const message = approvalEvent(after, decidedEvent, entropy, nodeCrypto.sha256);
    const [put, ...others] = follow([message, erasing(9, message.leaf.eventId)], opened());
    expect([put?.events, others]).toEqual([[], []]);
    expect(put!.approval).toMatchObject({ state: 'approved', commentsIn: message.leaf.eventId });
    expect(JSON.stringify(put!.approval)).not.toContain('Ms Example');
    expect(JSON.stringify(follow([message, erasing(9, checkId(1))], opened()))).toContain('Ms Example');
    const over = ended(after, EXPIRES_MS + 60_000);
    const end = { type: 'approval.expired', refersTo: checkId(1), occurredAtMs: EXPIRES_MS } as const;
    const repeated = approvalEvent(over, end, entropy, nodeCrypto.sha256);
    expect(repeated.leaf.outcome).toBe('unused');
    expect(JSON.stringify(repeated)).not.toContain('Ms Example');
    const tooFew = decided(opened({ approvers: { min: 2 } }), { ...by('eve'), comment: 'Called Ms Example' });
    const only = approvalEvent(ended(tooFew, EXPIRES_MS), end, entropy, nodeCrypto.sha256);
    expect(JSON.stringify(only.openings)).toContain('Ms Example');
    expect(commentsAtMs(tooFew)).toBeNull();
  });

  it('takes from its own events what a store that was put back lacks, and nothing that it has', () => {
    const before = opened({ approvers: { min: 2 } });
    const after = decided(decided(before, by('bob')), { ...by('eve', 'approve', 7_000), comment: 'fine' });
    const event = { type: 'approval.decided', refersTo: checkId(1), occurredAtMs: T + 7_000 } as const;
    const entropy = { id: new Uint8Array(10), salt: new Uint8Array(16) };
    const message = approvalEvent(after, event, entropy, nodeCrypto.sha256);
    const commentsIn = message.leaf.eventId;
    expect(follow([message], before)).toEqual([{ approval: { ...after, commentsIn }, events: [] }]);
    expect(follow([message], after)).toEqual([]);
    const expired = ended(before, EXPIRES_MS);
    const end = { type: 'approval.expired', refersTo: checkId(1), occurredAtMs: EXPIRES_MS } as const;
    expect(follow([approvalEvent(expired, end, entropy, nodeCrypto.sha256)], before)).toEqual([
      { approval: expired, events: [] },
    ]);
  });
});

describe('an approval', () => {
  it('needs as many people as the rule says, and one denial ends it', () => {
    const four = opened({ approvers: { min: 2 } });
    const once = decided(four, by('bob'));
    expect([once.state, approvalFacts(once)]).toEqual(['pending', null]);
    expect(decided(once, by('eve')).state).toBe('approved');
    expect(decided(once, by('eve', 'deny')).state).toBe('denied');
  });

  it('is usable until it expires, or as long after the decision as its rule says', () => {
    const iso = (ms: number): string => new Date(ms).toISOString();
    const once = decided(opened(), by('bob'));
    expect(approvalFacts(once)).toMatchObject({ state: 'approved', usableUntil: iso(EXPIRES_MS) });
    expect(approvalFacts(once)).not.toHaveProperty('reusable');
    const again = decided(opened({ reuse: { until_seconds: 60, scope: 'tool' } }), by('bob'));
    expect(approvalFacts(again)).toMatchObject({ reusable: true, usableUntil: iso(T + 65_000) });
  });

  it('expires without a decision or a use in time; a denial stays one', () => {
    expect(ended(opened(), EXPIRES_MS - 1).state).toBe('pending');
    expect(ended(opened(), EXPIRES_MS)).toMatchObject({ state: 'expired', isOver: true });
    const denied = ended(decided(opened(), by('bob', 'deny')), EXPIRES_MS);
    expect([denied.state, approvalFacts(denied), recordVersion(denied)]).toEqual(['denied', null, 2]);
    const approved = decided(opened(), by('bob'));
    expect(ended(approved, EXPIRES_MS)).toBe(approved);
    expect(ended(approved, EXPIRES_MS + 60_000).state).toBe('expired');
  });

  it.each(['requested', 'decided', 'expired', 'consumed'] as const)(
    'has an event %s that every verifier reads',
    (name) => {
      const approval = decided(opened(), { ...by('bob'), comment: 'fine', shownSha256: 'e'.repeat(64) });
      const event = { type: `approval.${name}`, refersTo: checkId(1), occurredAtMs: T + 9_000 } as const;
      const entropy = entropyOf(approval, event, nodeCrypto.sha256);
      expect(entropyOf(approval, event, nodeCrypto.sha256)).toEqual(entropy);
      const message = approvalEvent(approval, event, entropy, nodeCrypto.sha256);
      expect(readEnvelope(JSON.parse(JSON.stringify(message)))).toMatchObject({ ok: true });
      expect(opens(message.leaf, 'action', message.openings.action!, nodeCrypto.sha256)).toBe('opens');
      const { value } = message.openings.action!;
      const decision = { by: 'bob', role: 'admin', decision: 'approve', latencyMs: 4_999 };
      if (name === 'decided') expect(message.leaf.outcome).toBe('approved');
      expect((value as { comment?: string }).comment).toBe(name === 'decided' ? 'fine' : undefined);
      if (name === 'decided' || name === 'expired') expect(value).toMatchObject(decision);
      else expect(value).not.toHaveProperty('by');
      expect(value).toMatchObject({ approval: APPROVAL.slice(4), rule: 'night' });
    },
  );
});
