import type { JsonValue } from '@countersign/contracts';
import { denied, envelope, other } from '../testing/envelopes.js';
import { eventRecord, listedEvent } from './event-record.js';

const salt = 'AAAAAAAAAAAAAAAAAAAAAA';
const shown = (value: JsonValue): unknown =>
  eventRecord({
    sequence: 1,
    leaf: envelope(1).leaf,
    openings: { action: { salt, value } },
    anchored: false,
  }).action;

describe('eventRecord', () => {
  it('has exactly the fields of the list', () => {
    const { leaf, openings } = denied(1);
    expect(Object.keys(eventRecord({ sequence: 3, leaf, openings, anchored: true }))).toEqual([
      'eventId',
      'type',
      'agentId',
      'refersTo',
      'occurredAt',
      'sequence',
      'outcome',
      'allowed',
      'reason',
      'severity',
      'violation_type',
      'detail',
      'action',
      'payloadSha256',
      'profileVersion',
      'anchored',
      'rule',
    ]);
  });

  it('shows the six fields of an action, null where it has none', () => {
    expect(shown({ type: 'http_call', url: 'https://api.example.com/', extra: 1 })).toEqual({
      type: 'http_call',
      url: 'https://api.example.com/',
      tool_name: null,
      dataScope: null,
      estimatedCost: null,
      metadata: null,
    });
  });

  it('lets tool_name fall back to toolName, and prefers it where both are given', () => {
    expect(shown({ type: 'tool_use', toolName: 'crm.lookup' })).toMatchObject({ tool_name: 'crm.lookup' });
    expect(shown({ type: 'tool_use', tool_name: 'a', toolName: 'b' })).toMatchObject({ tool_name: 'a' });
  });

  it('takes fields of the action alone, never of its prototype', () => {
    expect(shown({})).toMatchObject({ type: null, metadata: null });
  });

  it('reads null once erased', () => {
    const { leaf } = envelope(1);
    expect(eventRecord({ sequence: 1, leaf, openings: {}, anchored: false }).action).toBeNull();
  });

  it('shows the committed value of other types', () => {
    const { leaf } = other(1, 'agent.frozen');
    const value = { reason: null, by: { kind: 'user', id: 'u' } };
    expect(eventRecord({ sequence: 1, leaf, openings: { action: { salt, value } }, anchored: false }).action).toEqual(
      value,
    );
    const outcome = other(2, 'action.outcome', { leaf: { action: null, outcome: 'failed' } });
    expect(
      eventRecord({ sequence: 1, leaf: outcome.leaf, openings: { payload: { salt, value: 'why' } }, anchored: false })
        .action,
    ).toBe('why');
  });

  it('marks an event that lies more than a minute ahead, until that time has come', () => {
    const { leaf } = envelope(1);
    const event = { sequence: 1, leaf, openings: {}, anchored: true };
    const at = Date.parse(leaf.occurredAt);
    expect(listedEvent(event, at - 60_001)).toEqual({ ...eventRecord(event), ahead: true });
    expect(listedEvent(event, at - 60_000)).toEqual(eventRecord(event));
    expect(listedEvent(event, at)).not.toHaveProperty('ahead');
  });

  it('gives the commitment of the payload, not a plain hash', () => {
    const { leaf } = envelope(1, { leaf: { payload: 'cd'.repeat(32) } });
    expect(eventRecord({ sequence: 1, leaf, openings: {}, anchored: false }).payloadSha256).toBe('cd'.repeat(32));
  });
});
