import { approvalMessageSchema } from '@countersign/contracts';
import { compileSchema } from '@countersign/http-edge';
import type { ApprovalRequested } from '@countersign/contracts';
import { denied, eventId, START } from '../testing/violations.js';
import { plainLeaf } from '@countersign/evidence';
import { mailText } from '../deliver/mail-text.js';
import { violationMessage } from './message.js';
import { readViolation } from './violation.js';

const UUID = 'dddddddd-dddd-4ddd-8ddd-dddddddddddd';
const position = { offset: 7, appendedAtMs: START };

describe('a violation', () => {
  it('is a check that was denied, or refused as frozen', () => {
    expect(readViolation(denied(1), position)).toMatchObject({ kind: 'api_not_allowed', severity: 'P2', offset: 7 });
    const frozen = denied(2, { outcome: 'frozen', violation_type: null, rule: null });
    expect(readViolation(frozen, position)).toMatchObject({ kind: 'frozen', violationType: null });
    expect(readViolation(denied(3, { outcome: 'sandbox_expired' }), position)).toBeNull();
  });

  it('is an agent that an API key registered, not one that a person created', () => {
    const { agentId, occurredAt } = denied(4).leaf;
    const leaf = plainLeaf({ type: 'agent.created', eventId: eventId(6), agentId, occurredAt });
    expect(readViolation({ ...denied(4), leaf }, position)).toBeNull();
    const violation = readViolation({ ...denied(4), leaf, apiKeyId: 'key-1' }, position);
    expect(violation).toMatchObject({ severity: 'P2', violationType: null, reason: expect.stringContaining('key-1') });
    const owner = { accountId: 'a', destinationId: 'd' };
    const { type, body } = violationMessage(owner, violation!, violation!.eventId, 1, START);
    expect([type, JSON.parse(body)]).toEqual([
      'agent.registered_by_key',
      {
        type: 'agent.registered_by_key',
        timestamp: occurredAt,
        data: {
          eventId: eventId(6),
          agentId,
          severity: 'P2',
          violation_type: null,
          reason: violation!.reason,
          count: 1,
        },
      },
    ]);
  });

  it('is an approval that was requested, and no check that waits for it', () => {
    const asked: ApprovalRequested = {
      state: 'requested',
      id: `apr_${UUID}`,
      ruleId: 'night',
      ruleSha256: 'a'.repeat(64),
      bindingSha256: 'b'.repeat(64),
      expiresSeconds: 60,
      expiresAt: '2026-03-01T09:31:00.000Z',
      requester: { apiKeyId: 'key' },
    };
    expect(readViolation({ ...denied(1), approvals: [asked] }, position)).toBeNull();
    const { agentId, occurredAt } = denied(5).leaf;
    const action = {
      salt: 'AAAAAAAAAAAAAAAAAAAAAA',
      value: { approval: UUID, rule: 'night', expiresAt: asked.expiresAt },
    };
    const head = { v: 2, type: 'approval.requested', eventId: eventId(5), refersTo: eventId(1) } as const;
    const leaf = plainLeaf({ ...head, agentId, occurredAt, action: 'c'.repeat(64) });
    const violation = readViolation({ ...denied(5), leaf, openings: { action } }, position, 'https://c.example/');
    expect(violation).toMatchObject({ kind: 'approval_requested/night', messageType: 'approval.requested' });
    const owner = { accountId: 'a', destinationId: 'd' };
    const { type, body } = violationMessage(owner, violation!, violation!.eventId, 2, START);
    expect(type).toBe('approval.requested');
    expect(compileSchema(approvalMessageSchema)(JSON.parse(body))).toBeNull();
    expect(JSON.parse(body)).toEqual({
      type: 'approval.requested',
      timestamp: occurredAt,
      data: {
        ...{ approvalId: asked.id, eventId: eventId(1), agentId, rule: 'night', expiresAt: asked.expiresAt, count: 2 },
        url: `https://c.example/${asked.id}`,
        reason: violation!.reason,
      },
    });
    const content = JSON.parse(body) as Parameters<typeof mailText>[0];
    expect(mailText(content).subject).toBe('Countersign: an agent waits for a decision, rule night (2 actions)');
    expect(mailText(content).text).toContain(`https://c.example/${asked.id}`);
    expect(readViolation({ ...denied(5), leaf, openings: {} }, position)).toBeNull();
  });

  it('is a refused check that was executed anyway, and no other outcome', () => {
    const check = denied(4);
    const { agentId, occurredAt } = check.leaf;
    const leaf = plainLeaf({
      type: 'action.outcome',
      eventId: eventId(5),
      agentId,
      occurredAt,
      refersTo: check.leaf.eventId,
      outcome: 'succeeded',
    });
    expect(readViolation({ ...check, leaf }, position)).toBeNull();
    expect(readViolation({ ...check, leaf, executedRefusal: true }, position)).toMatchObject({
      eventId: eventId(5),
      kind: 'executed_refusal',
      severity: 'P1',
      violationType: null,
      reason: 'The check was refused, and its execution was reported: it succeeded.',
    });
  });
});
