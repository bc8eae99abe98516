import { others, type HttpKind } from './kind.js';
import { jsonOf } from './sent-record.js';

/** JSON lines to any address. */
export const HTTPS: HttpKind = {
  problem: (_url, credentials) => others(credentials, ['token']),
  request: (batch, { streamId, url, credentials: { token } }) => ({
    url,
    headers: {
      'content-type': 'application/x-ndjson',
      'x-countersign-stream': streamId,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: batch.map((record) => `${jsonOf(record)}\n`).join(''),
  }),
};
