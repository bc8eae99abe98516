import { others, type HttpKind } from './kind.js';
import { jsonOf, type SentRecord } from './sent-record.js';

const ALREADY_THERE = 409;

interface Item {
  readonly create?: { readonly status?: number; readonly error?: { readonly type?: unknown } };
}

/**
 * The bulk API of Elasticsearch and OpenSearch. The id of a document is that of the event, and `create` does not write it
 * twice: a document that is there already is a delivered one. Each other refusal fails the batch.
 */
export const ELASTIC: HttpKind = {
  problem(url, credentials) {
    if (url.pathname === '/') return 'url must name the index or the data stream: https://host/index';
    const { apiKey, username, password } = credentials;
    if (apiKey === undefined && (username === undefined || password === undefined)) {
      return 'credentials.apiKey, or credentials.username and credentials.password, are required for elastic';
    }
    return others(credentials, apiKey === undefined ? ['username', 'password'] : ['apiKey']);
  },
  request: (batch, { url, credentials }) => ({
    url: bulkOf(url),
    headers: { 'content-type': 'application/x-ndjson', authorization: authorizationOf(credentials) },
    body: batch
      .map((record) => `${JSON.stringify({ create: { _id: record.eventId } })}\n${documentOf(record)}\n`)
      .join(''),
  }),
  refused(answer, batch) {
    const items = itemsOf(answer);
    if (items === null) return 'the answer is not that of the bulk API';
    if (items.length !== batch.length) return `the answer has ${items.length} items for ${batch.length} events`;
    const wrong = items.map(statusOf).flatMap((status, n) => (isDone(status) ? [] : [{ status, n }]));
    const [first] = wrong;
    if (first === undefined) return null;
    const { status, n } = first;
    const { eventId } = batch[n]!;
    return `${wrong.length} of ${batch.length} events were refused; the first is ${eventId}: ${status} ${typeOf(items[n]!)}`;
  },
};

function bulkOf(text: string): string {
  const url = new URL(text);
  if (!url.pathname.endsWith('/_bulk')) url.pathname = `${url.pathname.replace(/\/$/, '')}/_bulk`;
  return url.href;
}

function authorizationOf({ apiKey, username, password }: Parameters<HttpKind['problem']>[1]): string {
  if (apiKey !== undefined) return `ApiKey ${apiKey}`;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/**
 * A data stream needs `@timestamp`. An OCSF event is whole in `event.original`; `ocsf` has no `unmapped`, whose content
 * would make a field for each member of an action.
 */
function documentOf(record: SentRecord): string {
  if (record.format !== 'ocsf') return jsonOf(record);
  const { unmapped: _content, ...ocsf } = JSON.parse(record.text) as Readonly<Record<string, unknown>>;
  const event = { id: record.eventId, original: record.text };
  return JSON.stringify({ '@timestamp': record.occurredAt, event, ocsf });
}

function itemsOf(answer: string | null): readonly (Item | null)[] | null {
  try {
    const { items } = JSON.parse(answer ?? '') as { readonly items?: unknown };
    return Array.isArray(items) ? (items as readonly (Item | null)[]) : null;
  } catch {
    return null;
  }
}

function statusOf(item: Item | null): number {
  return typeof item?.create?.status === 'number' ? item.create.status : 0;
}

function isDone(status: number): boolean {
  return (status >= 200 && status < 300) || status === ALREADY_THERE;
}

/** The type of an error alone: its reason may quote the document. */
function typeOf(item: Item | null): string {
  const type = item?.create?.error?.type;
  return typeof type === 'string' && /^[a-z_]{1,64}$/.test(type) ? type : 'without a type';
}
