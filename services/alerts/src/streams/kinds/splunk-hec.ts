import { others, type HttpKind } from './kind.js';
import type { SentRecord } from './sent-record.js';

const COLLECTOR = '/services/collector/event';

/** The HTTP Event Collector of Splunk: one JSON object after the other, the id of the event in the indexed field `event_id`. */
export const SPLUNK_HEC: HttpKind = {
  problem: (_url, credentials) =>
    credentials.token === undefined ? 'credentials.token is required for splunk_hec' : others(credentials, ['token']),
  request: (batch, { url, credentials: { token } }) => ({
    url: collectorOf(url),
    headers: { 'content-type': 'application/json', authorization: `Splunk ${token}` },
    body: batch.map(eventText).join('\n'),
  }),
  refused(answer) {
    const code = codeOf(answer);
    if (code === 0) return null;
    return code === null ? 'the answer is not that of an HTTP Event Collector' : `the collector answered code ${code}`;
  },
};

/** An address without a path is that of the collector's own one. */
function collectorOf(text: string): string {
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = COLLECTOR;
  return url.href;
}

function eventText({ eventId, occurredAt, format, text }: SentRecord): string {
  const head = JSON.stringify({
    time: Date.parse(occurredAt) / 1000,
    source: 'countersign',
    sourcetype: `countersign:${format}`,
    fields: { event_id: eventId },
  });
  return `${head.slice(0, -1)},"event":${format === 'cef' ? JSON.stringify(text) : text}}`;
}

function codeOf(answer: string | null): number | null {
  try {
    const { code } = JSON.parse(answer ?? '') as { readonly code?: unknown };
    return typeof code === 'number' ? code : null;
  } catch {
    return null;
  }
}
