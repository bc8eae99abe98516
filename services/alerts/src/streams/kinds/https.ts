import { others, type Kind } from './kind.js';
import { jsonOf } from './sent-record.js';

/** JSON lines to any address. */
export const HTTPS: Kind = {
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
