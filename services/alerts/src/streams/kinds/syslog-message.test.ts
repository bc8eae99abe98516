import fc from 'fast-check';
import type { StreamFormat } from '@countersign/contracts';
import { readFrames, type SyslogMessage } from '../../testing/syslog-receiver.js';
import { ACCOUNT, denied } from '../../testing/violations.js';
import { sentRecord, type SentRecord } from './sent-record.js';
import { syslogMessage, type SyslogSettings } from './syslog-message.js';

const SETTINGS: SyslogSettings = {
  accountId: ACCOUNT,
  originHost: 'cs.example.com',
  enterpriseId: null,
  mostBytes: 8192,
};
/** A number that IANA assigned to no one; it is in no message that leaves this test. */
const ENTERPRISE = 4_294_967_295;

function record(format: StreamFormat, action: object = { type: 'http_call' }, leaf: object = {}): SentRecord {
  const envelope = denied(1, leaf);
  const openings = { action: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: action as { type: string } } };
  return sentRecord({ id: 's', accountId: ACCOUNT, format }, { sequence: 7, leaf: envelope.leaf, openings }, null)
    .record;
}

function read(sent: SentRecord, settings: Partial<SyslogSettings> = {}): SyslogMessage {
  const message = syslogMessage(sent, { ...SETTINGS, ...settings });
  return readFrames(Buffer.concat([Buffer.from(`${message.length} `), message]))[0]!;
}

describe('a message of syslog', () => {
  it('has the facility of audit logs, time, host, type and the whole event', () => {
    const sent = record('ocsf');
    const message = read(sent);
    expect(message).toMatchObject({
      priority: 13 * 8 + 4,
      time: sent.occurredAt,
      host: 'cs.example.com',
      app: 'Countersign',
      type: 'action.checked',
      data: '[origin software="Countersign"]',
    });
    expect(JSON.parse(message.text)).toEqual(JSON.parse(sent.text));
    expect(JSON.parse(message.text)).toMatchObject({ metadata: { uid: sent.eventId } });
  });

  it.each([
    ['P1', 2],
    ['P2', 4],
    ['P3', 5],
    [null, 6],
  ] as const)('has for the severity %s that of syslog, %s', (severity, level) => {
    expect(read({ ...record('ecs'), severity }).priority).toBe(13 * 8 + level);
  });

  it('has ids in structured data by the number of the receiving organization, and no made-up number without', () => {
    const sent = record('ecs');
    const { eventId, agentId } = sent;
    expect(read(sent, { enterpriseId: ENTERPRISE }).data).toBe(
      `[origin software="Countersign"][countersign@${ENTERPRISE} eventId="${eventId}" type="action.checked" agentId="${agentId}" sequence="7" accountId="${ACCOUNT}"]`,
    );
    const hostile = read({ ...sent, eventType: 'a"]\\[b x="' }, { enterpriseId: ENTERPRISE });
    expect(hostile.data).toContain(String.raw`type="a\"\]\\[b x=\""`);
    expect(hostile.type).toBe('a"]\\[bx="');
    expect(read(sent, { originHost: null }).host).toBe('-');
  });

  it('is ASCII for JSON, and UTF-8 with its mark for CEF that is not', () => {
    const action = { type: 'http_call', metadata: { note: 'Grüße 😀\u007f\ufeff' } };
    const bytes = syslogMessage(record('ocsf', action), SETTINGS);
    expect(bytes.every((byte) => byte < 0x7f)).toBe(true);
    expect(JSON.parse(read(record('ocsf', action)).text)).toEqual(JSON.parse(record('ocsf', action).text));
    const cef = record('cef', action);
    expect(read(cef).text).toBe(cef.text);
    expect(syslogMessage(cef, SETTINGS).includes(Buffer.from([0xef, 0xbb, 0xbf]))).toBe(true);
    expect(syslogMessage(record('cef'), SETTINGS).includes(0xef)).toBe(false);
  });

  it('leaves the content of a long event out, and marks it', () => {
    const action = { type: 'http_call', url: 'https://api.example.com/', metadata: { body: 'x'.repeat(9_000) } };
    const ocsf = read(record('ocsf', action));
    expect(ocsf.bytes).toBeLessThanOrEqual(8_192);
    const { eventId } = record('ocsf');
    expect(JSON.parse(ocsf.text)).toMatchObject({
      metadata: { uid: eventId, is_truncated: true },
      unmapped: { action: null, agentId: expect.any(String) },
      attestation_list: [{ fingerprint: expect.any(Object) }],
    });
    expect(JSON.parse(ocsf.text)).not.toHaveProperty('resources');
    const ecs = JSON.parse(read(record('ecs', action)).text) as object;
    expect(ecs).toMatchObject({ event: { id: eventId }, countersign: { truncated: true } });
    expect(ecs).not.toHaveProperty('countersign.action');
    expect(ecs).not.toHaveProperty('url');
    expect(JSON.parse(read(record('ecs', action), { mostBytes: 65_536 }).text)).not.toHaveProperty(
      'countersign.truncated',
    );
  });

  it('is whole in its format and marked also at the least length, whatever its texts hold', () => {
    const text = '\u00fc=\\]"'.repeat(200);
    const action = { type: 'http_call', url: `https://api.example.com/${text}`, note: text };
    const texts = { reason: text, rule: text, detail: text };
    const at = (format: StreamFormat): string =>
      read(record(format, action, texts), { mostBytes: 2_048, enterpriseId: ENTERPRISE, originHost: 'h'.repeat(255) })
        .text;
    const { eventId } = record('ocsf');
    expect(JSON.parse(at('ocsf'))).toMatchObject({
      class_uid: 6003,
      metadata: { uid: eventId, is_truncated: true },
      unmapped: { agentId: expect.any(String), action: null },
    });
    expect(JSON.parse(at('ecs'))).toMatchObject({
      '@timestamp': expect.any(String),
      event: { id: eventId, action: 'action.checked' },
      countersign: { agent_id: expect.any(String), truncated: true },
    });
    const cef = at('cef');
    expect(cef).toMatch(/^CEF:0\|Countersign\|.*\|rt=\d+ externalId=/);
    expect(cef).toContain(`externalId=${eventId} `);
    expect(cef).toMatch(/ cn1=7 cn1Label=sequence flexString1=true flexString1Label=truncated$/);
  });

  it('leaves the content of a long event of CEF out, and keeps its other fields', () => {
    const action = {
      type: 'http_call',
      url: 'https://api.example.com/?a=b',
      metadata: { note: 'ü cs6=x '.repeat(800) },
    };
    const cef = read(record('cef', action, { reason: 'a request= of b' }), { mostBytes: 4_096 }).text;
    expect(cef).not.toMatch(/cs6|api\.example/);
    expect(cef).toContain(String.raw` reason=a request\= of b `);
    expect(cef).toMatch(/ fileHash=\S+ flexString1=true flexString1Label=truncated$/);
  });

  it('of an account is shortened as any other', () => {
    const leaf = { type: 'account.user_changed', outcome: null, detail: 'user:x', reason: 'r'.repeat(9_000) };
    for (const format of ['ocsf', 'ecs'] as const) {
      const message = read(record(format, { type: 'x', user: { email: 'a@example.com' } }, leaf));
      expect(JSON.stringify(JSON.parse(message.text))).toMatch(/truncated":true/);
    }
  });

  it('is never longer than it may be, and ends with a whole character', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<StreamFormat>('ocsf', 'ecs', 'cef'),
        fc.string({ unit: 'grapheme', minLength: 500, maxLength: 2_000 }),
        fc.integer({ min: 2_048, max: 4_096 }),
        (format, reason, mostBytes) => {
          const sent = record(format, { type: 'http_call', reason }, { reason, detail: reason });
          const message = read(sent, { mostBytes, enterpriseId: ENTERPRISE });
          expect(message.bytes).toBeLessThanOrEqual(mostBytes);
          expect(message.text).toContain(sent.eventId);
          if (format !== 'cef') expect(() => JSON.parse(message.text) as unknown).not.toThrow();
        },
      ),
      { numRuns: 100 },
    );
  });
});
