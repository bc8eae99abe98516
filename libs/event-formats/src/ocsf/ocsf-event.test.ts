import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { CHECK_OUTCOMES, LEAF_TYPES, REPORTED_OUTCOMES, SEVERITIES, VIOLATION_TYPES } from '@countersign/contracts';
import type { JsonValue } from '@countersign/contracts';
import type { FormattedEvent } from '../formatted-event.js';
import { ACCOUNT, checked, denied, eventId, other } from '../testing/events.js';
import { attested } from './attestation.js';
import { ocsfEvent } from './ocsf-event.js';

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false });
const schemas = new Map<number, ValidateFunction>(
  (
    [
      [6003, 'api_activity'],
      [3001, 'account_change'],
      [3002, 'authentication'],
      [3004, 'entity_management'],
    ] as const
  ).map(([uid, name]) => {
    const text = readFileSync(new URL(`../../ocsf-schema/${name}.json`, import.meta.url), 'utf8');
    return [uid, ajv.compile(JSON.parse(text) as object)];
  }),
);

function problemsOf(event: FormattedEvent): unknown {
  const previous = { uid: eventId(1), typeUid: 600399, fingerprint: 'ab'.repeat(32) };
  return [null, { chainUid: 'chain', previous: null }, { chainUid: 'chain', previous }].flatMap((place) => {
    const written: unknown = JSON.parse(JSON.stringify(attested(ocsfEvent(event, ACCOUNT), place).event));
    const validate = schemas.get((written as { readonly class_uid: number }).class_uid)!;
    return validate(written) ? [] : (validate.errors ?? []);
  });
}

describe('OCSF events', () => {
  it.each([...LEAF_TYPES])('of the type %s fit their class', (type) => {
    const outcomes =
      type === 'action.checked' ? CHECK_OUTCOMES : type === 'action.outcome' ? REPORTED_OUTCOMES : ([null] as const);
    for (const outcome of outcomes) {
      const from = outcome === 'allowed' ? checked(1) : type === 'action.checked' ? denied(1) : other(1, type);
      const refersTo = type.startsWith('action.') && type !== 'action.checked' ? eventId(9) : from.leaf.refersTo;
      const event = { ...from, leaf: { ...from.leaf, type, outcome, refersTo } };
      expect([outcome, problemsOf(event)]).toEqual([outcome, []]);
      expect([outcome, problemsOf({ ...event, openings: {}, anchored: true })]).toEqual([outcome, []]);
    }
  });

  it('fit it whatever was sent, decided and kept', () => {
    const salt = 'AAAAAAAAAAAAAAAAAAAAAA';
    const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.record({
          outcome: fc.constantFrom(...CHECK_OUTCOMES),
          allowed: fc.boolean(),
          reason: orNull(fc.string()),
          severity: orNull(fc.constantFrom(...SEVERITIES)),
          violation_type: orNull(fc.constantFrom(...VIOLATION_TYPES)),
          rule: orNull(fc.string()),
          detail: orNull(fc.string()),
          profileVersion: orNull(fc.nat()),
        }),
        (value, leaf) => {
          const event = checked(1, leaf);
          expect(problemsOf({ ...event, openings: { action: { salt, value: value as JsonValue } } })).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('of version 2, and of types and outcomes of a later release, fit it too', () => {
    const v2 = { v: 2, context: 'ab'.repeat(32), coverage: ['rules'] } as const;
    const odd = { ...v2, violation_type: 'constructor', outcome: 'constructor' };
    for (const event of [checked(1, v2), denied(2, odd), other(3, 'action.outcome', odd)]) {
      expect(problemsOf(event)).toEqual([]);
    }
    const later = other(3, 'later.type', { ...v2, outcome: 'odd', allowed: true });
    expect(problemsOf(later)).toEqual([]);
    expect(ocsfEvent(later, ACCOUNT)).toMatchObject({ class_uid: 3004, activity_id: 99, activity_name: 'later.type' });
  });

  it('would be refused with an attribute that is not of the class, or one of another type', () => {
    const validate = schemas.get(6003)!;
    const good = attested(ocsfEvent(checked(1), ACCOUNT), null).event;
    expect(validate(good)).toBe(true);
    const wrong = [{ verdict: 'allowed' }, { severity_id: 'High' }, { class_uid: 3004 }, { actor: {} }];
    const unattested = [{ attestation_list: [{}] }, { attestation_list: [{ fingerprint: { value: 'ab' } }] }];
    for (const members of [...wrong, ...unattested]) expect(validate({ ...good, ...members })).toBe(false);
  });

  it('say who asked for what, what was decided and by which profile', () => {
    const action = { salt: 's', value: { type: 'refund', url: 'https://api.example.com/v1', tool_name: 'crm.refund' } };
    const { leaf } = denied(7);
    const event = ocsfEvent({ ...denied(7), openings: { action } }, ACCOUNT);
    expect(event).toMatchObject({
      class_uid: 6003,
      type_uid: 600399,
      time: Date.parse(leaf.occurredAt),
      severity: 'Medium',
      status: 'Failure',
      status_code: 'denied',
      message: 'Authorization check http_call denied: The API is not on the allow list.',
      action_id: 2,
      disposition_id: 2,
      is_alert: true,
      actor: { app_uid: leaf.agentId },
      ai_agent: { uid: leaf.agentId },
      api: { operation: 'refund', request: { uid: leaf.eventId }, response: { error: 'api_not_allowed' } },
      resources: [
        { type: 'URL', name: 'https://api.example.com/v1' },
        { type: 'tool', name: 'crm.refund' },
      ],
      authorizations: [{ decision: 'denied', policy: { uid: leaf.profileSha256, version: '1', desc: leaf.rule } }],
      metadata: {
        version: '1.9.0',
        profiles: ['security_control', 'ai_operation', 'record_integrity'],
        uid: leaf.eventId,
        sequence: 7,
        tenant_uid: ACCOUNT,
        event_code: 'action.checked',
      },
    });
  });

  it('read null for content that is gone, and keep the decision', () => {
    const event = ocsfEvent({ ...denied(2), openings: {} }, ACCOUNT);
    expect(event).toMatchObject({ status_code: 'denied', api: { operation: 'http_call' }, unmapped: { action: null } });
    expect(event).not.toHaveProperty('resources');
    expect(event['unmapped']).not.toHaveProperty('anchored');
  });

  it('tell a violation that observe mode let pass from a check that broke no rule', () => {
    const observed = ocsfEvent(denied(1, { outcome: 'allowed', allowed: true }), ACCOUNT);
    expect(observed).toMatchObject({ action_id: 3, disposition: 'Detected', is_alert: true, status: 'Success' });
    const passed = ocsfEvent(checked(1), ACCOUNT);
    expect(passed).toMatchObject({ action_id: 1, disposition: 'Allowed', severity: 'Informational' });
    expect(passed).not.toHaveProperty('is_alert');
  });
});
