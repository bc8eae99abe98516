import { createHash } from 'node:crypto';
import { ACCOUNT_EVENT_TYPES, accountStream } from '@countersign/contracts';
import type { AccountEventDraft, AccountEventType, EventEnvelope } from '@countersign/contracts';
import { accountEvent, opens, readEnvelope } from '@countersign/evidence';
import { cefEvent } from './cef-event.js';
import { ecsEvent } from './ecs-event.js';
import type { FormattedEvent } from './formatted-event.js';
import { ocsfEvent } from './ocsf/ocsf-event.js';

const ACCOUNT = '2b0c1f5e-6f0a-4c1d-8a3e-5d7f9b1c2e4a';
const ANNA = { kind: 'user', id: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' } as const;
const USER = { id: ANNA.id, email: 'anna@example.com', role: 'admin' };
const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const NOW = Date.UTC(2026, 2, 1);

function envelopeOf(draft: AccountEventDraft): EventEnvelope {
  const entropy = { id: new Uint8Array(10).fill(3), salt: new Uint8Array(16).fill(5) };
  return accountEvent(draft, { accountId: ACCOUNT, cadenceSeconds: 300, occurredAtMs: NOW, entropy }, sha256);
}

function formatted(type: AccountEventType, more: Partial<AccountEventDraft> = {}): FormattedEvent {
  const { leaf, openings } = envelopeOf({ type, by: ANNA, content: { user: USER, address: '192.0.2.7' }, ...more });
  return { sequence: 1, leaf, openings };
}

describe('an event of an account', () => {
  it('is a leaf in the stream of the account, whose opening opens it and names the person', () => {
    const envelope = envelopeOf({ type: 'account.sign_in', by: ANNA, outcome: 'succeeded', content: { user: USER } });
    expect(readEnvelope(JSON.parse(JSON.stringify(envelope)))).toEqual({ ok: true, value: envelope });
    expect(envelope.leaf.agentId).toBe(accountStream(ACCOUNT));
    expect(envelope.leaf.detail).toBe(`user:${ANNA.id}`);
    expect(opens(envelope.leaf, 'action', envelope.openings.action!, sha256)).toBe('opens');
    expect(JSON.stringify(envelope.leaf)).not.toContain('anna@');
  });

  it('says in each format who did what, from where, and how it ended', () => {
    const signIn = formatted('account.sign_in', { outcome: 'succeeded' });
    expect(ocsfEvent(signIn, ACCOUNT)).toMatchObject({
      class_uid: 3002,
      activity_name: 'Logon',
      status: 'Success',
      actor: { user: { uid: ANNA.id } },
      user: { uid: ANNA.id, name: USER.email },
      src_endpoint: { ip: '192.0.2.7' },
    });
    expect(ecsEvent(signIn, ACCOUNT)).toMatchObject({
      event: { category: ['authentication'], type: ['start'], outcome: 'success' },
      user: { id: ANNA.id, email: USER.email },
      source: { ip: '192.0.2.7' },
    });
    expect(cefEvent(signIn, ACCOUNT)).toContain(`suid=${ANNA.id} suser=anna@example.com src=192.0.2.7`);
  });

  it('of failed sign-ins has their count, and no actor that is known', () => {
    const content = { user: USER, address: '192.0.2.7', count: 7 };
    const failed = formatted('account.sign_in', { by: { kind: 'unknown' }, outcome: 'failed', content });
    expect(ocsfEvent(failed, ACCOUNT)).toMatchObject({
      class_uid: 3002,
      status: 'Failure',
      count: 7,
      actor: { app_name: 'unknown' },
      user: { uid: ANNA.id },
    });
    expect(ecsEvent(failed, ACCOUNT)).toMatchObject({ event: { outcome: 'failure' }, user: { id: ANNA.id } });
  });

  it('whose content is erased keeps the pseudonym alone', () => {
    const erased = { ...formatted('account.user_changed'), openings: {} };
    expect(ocsfEvent(erased, ACCOUNT)).toMatchObject({ class_uid: 3001, user: { uid: ANNA.id } });
    const failed = formatted('account.sign_in', { by: { kind: 'unknown' }, outcome: 'failed' });
    expect(ocsfEvent({ ...failed, openings: {} }, ACCOUNT)).toMatchObject({ user: { name: 'unknown' } });
    expect(JSON.stringify(ecsEvent(erased, ACCOUNT))).not.toContain('anna@');
  });

  it('has in each format what kind of act it is, for every type', () => {
    const kinds = ACCOUNT_EVENT_TYPES.map((type) => {
      const event = formatted(type, { content: {} });
      const { event: ecs } = ecsEvent(event, ACCOUNT) as { readonly event: { readonly type: readonly string[] } };
      const cef = cefEvent(event, ACCOUNT);
      return [type, ocsfEvent(event, ACCOUNT)['activity_name'], ecs.type.at(-1), cef.includes(`|${type}|`)] as const;
    });
    expect(kinds.filter(([, , , isNamed]) => !isNamed)).toEqual([]);
    const others = kinds.filter(([type, activity]) => activity === type).map(([type]) => type);
    expect(others).toEqual(['account.user_changed', 'account.alert_destination_tested', 'account.stream_tested']);
    const kindOf = (type: AccountEventType): unknown => kinds.find(([each]) => each === type)?.slice(1, 3);
    expect(kindOf('account.report_issued')).toEqual(['Create', 'creation']);
    expect(kindOf('account.report_published')).toEqual(['Update', 'change']);
    expect(kindOf('account.report_share_revoked')).toEqual(['Delete', 'deletion']);
    expect(kindOf('account.stream_tested')).toEqual(['account.stream_tested', 'info']);
  });

  it('about anything but people is an entity of the account', () => {
    expect(ocsfEvent(formatted('account.key_created', { content: {} }), ACCOUNT)).toMatchObject({
      class_uid: 3004,
      activity_name: 'Create',
      entity: { type: 'Account', uid: ACCOUNT },
    });
  });
});
