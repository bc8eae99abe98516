import type { SentRecord } from './sent-record.js';

/**
 * Texts of an event that is too long for a message, from long to short, each of them whole in its format and marked as
 * truncated: without the content; then without texts of any length, such as reason and rule. The id of the event is in all.
 */
export function* shortened({ format, text }: SentRecord): IterableIterator<string> {
  if (format === 'cef') {
    yield* shortenedCef(text);
    return;
  }
  const event = JSON.parse(text) as JsonObject;
  for (const shorter of format === 'ocsf' ? shortenedOcsf(event) : shortenedEcs(event)) yield JSON.stringify(shorter);
}

interface JsonObject {
  readonly [name: string]: unknown;
}

/** Marked by the attribute that OCSF has for it. The fingerprint stays that of the whole event, for the chain. */
function* shortenedOcsf(event: JsonObject): IterableIterator<JsonObject> {
  const metadata = { ...objectOf(event['metadata']), is_truncated: true };
  const { resources: _addresses, ...rest } = event;
  yield { ...rest, metadata, unmapped: { ...objectOf(event['unmapped']), action: null } };
  const { agentId } = objectOf(event['unmapped']);
  const names = [
    'category_uid',
    'class_uid',
    'activity_id',
    'type_uid',
    'time',
    'severity_id',
    'status_id',
    'status_code',
  ];
  const least = { ...only(event, names), metadata, unmapped: { agentId, action: null } };
  yield { ...least, ...only(event, ['attestation_list']) };
  yield least;
}

/** Marked by a member of ours: ECS has none. */
function* shortenedEcs(event: JsonObject): IterableIterator<JsonObject> {
  const { url: _address, ...rest } = event;
  const { action: _action, ...countersign } = objectOf(event['countersign']);
  yield { ...rest, countersign: { ...countersign, truncated: true } };
  const { reason: _reason, ...head } = objectOf(event['event']);
  const ours = only(countersign, ['agent_id', 'refers_to', 'outcome', 'allowed', 'severity', 'violation_type']);
  yield {
    ...only(event, ['@timestamp', 'ecs', 'observer', 'organization']),
    event: head,
    countersign: { ...ours, truncated: true },
  };
}

const MARK = 'flexString1=true flexString1Label=truncated';
/** Custom fields of the content. */
const CONTENT = /^(request|cs6|cs6Label)=/;
/** Fields that cannot be long. */
const SHORT = /^(CEF:|(externalId|cat|act|outcome|suid|cn1|cn1Label)=)/;

/** Marked by a custom field: CEF has no other. A value contains no `name=`, as each `=` in it is escaped. */
function* shortenedCef(text: string): IterableIterator<string> {
  const fields = text.split(/ (?=[A-Za-z0-9]+=)/);
  const without = fields.filter((field) => !CONTENT.test(field));
  yield [...without, MARK].join(' ');
  yield [...without.filter((field) => SHORT.test(field)), MARK].join(' ');
}

function only(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name]]] : [])));
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
