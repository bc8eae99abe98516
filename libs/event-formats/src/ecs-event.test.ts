import { LEAF_TYPES } from '@countersign/contracts';
import { ecsEvent } from './ecs-event.js';
import { ACCOUNT, AGENT, checked, denied, eventId, other } from './testing/events.js';

/** `event.kind`, `event.category` and the types that ECS expects of each category. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  api: 'access admin allowed change creation deletion denied end error info start user'.split(' '),
  authentication: 'start end info'.split(' '),
  iam: 'admin change creation deletion group info user'.split(' '),
  configuration: 'access change creation deletion info'.split(' '),
};

interface Written {
  readonly event: { readonly kind: string; readonly category: readonly string[]; readonly type: readonly string[] };
}

describe('ECS events', () => {
  it('have the categories and types that ECS allows', () => {
    for (const type of [...LEAF_TYPES, 'later.type']) {
      for (const event of [other(1, type), { ...denied(1, { type }), openings: {} }]) {
        const { kind, category, type: types } = (ecsEvent(event, ACCOUNT) as unknown as Written).event;
        expect(['event', 'alert']).toContain(kind);
        expect(category).toHaveLength(1);
        for (const one of types) expect(TYPES[category[0]!]).toContain(one);
      }
    }
  });

  it('say what was decided, with the id of the event as its key', () => {
    const action = { salt: 's', value: { type: 'refund', url: 'https://api.example.com/v1', tool_name: 'crm.refund' } };
    expect(ecsEvent({ ...denied(7), openings: { action } }, ACCOUNT)).toMatchObject({
      '@timestamp': '2026-03-01T09:30:00.007Z',
      event: {
        id: eventId(7),
        kind: 'alert',
        category: ['api'],
        type: ['access', 'denied'],
        action: 'action.checked',
        outcome: 'failure',
        severity: 47,
        sequence: 7,
      },
      organization: { id: ACCOUNT },
      rule: { name: 'allowed_apis:', category: 'api_not_allowed' },
      url: { original: 'https://api.example.com/v1' },
      countersign: { agent_id: AGENT, allowed: false, tool_name: 'crm.refund' },
    });
  });

  it('hold content as one text, and no null', () => {
    const written = JSON.stringify(ecsEvent(checked(1), ACCOUNT));
    expect(written).toContain('"action":"{');
    expect(written).not.toMatch(/[^\\]":null/);
  });
});
