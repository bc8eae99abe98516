import type { Severity } from '@countersign/contracts';
import type { SentRecord } from './sent-record.js';
import { shortened } from './syslog-shortened.js';

/** Facility "log audit" and severities: RFC 5424, section 6.2.1. */
const LOG_AUDIT = 13;
const SEVERITIES: Readonly<Record<Severity, number>> = { P1: 2, P2: 4, P3: 5 };
const INFORMATIONAL = 6;

const NIL = '-';
const LONGEST_HOSTNAME = 255;
const LONGEST_MSGID = 32;
/** In front of a text that is not ASCII: RFC 5424, section 6.4. */
const BOM = '\ufeff';

export interface SyslogSettings {
  readonly accountId: string;
  /** Name of this installation; `null`: none is known. */
  readonly originHost: string | null;
  /** Private enterprise number of the receiving organization, for structured data; `null`: it gave none. */
  readonly enterpriseId: number | null;
  /** Of a message, without the length in front of it. */
  readonly mostBytes: number;
}

/**
 * An event as a message of RFC 5424, of at most `mostBytes`. Its type is the MSGID; the id of the event is in the text, and with
 * an enterprise number in structured data as well (section 6.3.2: other names of elements are for IANA to register).
 *
 * A longer event is sent as the longest of its {@link shortened} texts that is short enough.
 */
export function syslogMessage(record: SentRecord, settings: SyslogSettings): Buffer {
  const head = Buffer.from(`${headOf(record, settings)} `);
  const most = settings.mostBytes - head.length;
  let text = textOf(record.text, record);
  for (const shorter of text.length <= most ? [] : shortened(record)) {
    text = textOf(shorter, record);
    if (text.length <= most) break;
  }
  return Buffer.concat([head, cut(text, most)]);
}

function headOf(record: SentRecord, settings: SyslogSettings): string {
  const { eventType, severity, occurredAt } = record;
  const priority = LOG_AUDIT * 8 + (severity === null ? INFORMATIONAL : SEVERITIES[severity]);
  const host = printable(settings.originHost ?? '', LONGEST_HOSTNAME);
  const type = printable(eventType, LONGEST_MSGID);
  return `<${priority}>1 ${occurredAt} ${host} Countersign ${NIL} ${type} ${structured(record, settings)}`;
}

/** Printable ASCII, or the nil value. */
function printable(text: string, longest: number): string {
  const kept = text.replace(/[^\x21-\x7e]/g, '').slice(0, longest);
  return kept === '' ? NIL : kept;
}

function structured(
  { eventId, agentId, eventType, sequence }: SentRecord,
  { accountId, enterpriseId }: SyslogSettings,
): string {
  const origin = '[origin software="Countersign"]';
  if (enterpriseId === null) return origin;
  const params = Object.entries({ eventId, type: eventType, agentId, sequence, accountId });
  const texts = params.map(([name, value]) => `${name}="${String(value).replace(/["\\\]]/g, '\\$&')}"`);
  return `${origin}[countersign@${enterpriseId} ${texts.join(' ')}]`;
}

/** JSON with escapes is ASCII, which no receiver reads in another way; CEF has none, and is UTF-8 after a mark. */
function textOf(text: string, { format }: SentRecord): Buffer {
  if (format !== 'cef') return Buffer.from(text.replace(/[\x7f-\uffff]/g, escaped));
  return Buffer.from(/^[\x00-\x7e]*$/.test(text) ? text : `${BOM}${text}`);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The first bytes, without a part of a character at their end. */
function cut(text: Buffer, most: number): Buffer {
  if (text.length <= most) return text;
  let end = most;
  while (end > 0 && (text[end]! & 0xc0) === 0x80) end -= 1;
  return text.subarray(0, end);
}
