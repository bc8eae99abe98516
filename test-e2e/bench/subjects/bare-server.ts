import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Program: the minimum that a server in Node can do with the same request. It reads the body, parses it, and answers with
 * the same number of bytes and headers as an allowed check. With the argument `refuse` it ignores the request and answers
 * 503 with as many bytes as an overloaded gateway. Sends its parent its port.
 */
const ANSWER = '{"allowed":true}';
const HEADERS = [
  ...['content-type', 'application/json; charset=utf-8', 'content-length', String(ANSWER.length)],
  ...['x-event-id', '01890000-0000-7000-8000-000000000000', 'x-policy-coverage', 'full'],
];

const REFUSAL =
  '{"allowed":false,"reason":"too many checks at once; try again later","severity":"P1","code":"unavailable"}';
const REFUSAL_HEADERS = [
  ...['content-type', 'application/json; charset=utf-8', 'content-length', String(REFUSAL.length)],
  ...['retry-after', '1'],
];
const refuses = process.argv[2] === 'refuse';

const server = createServer((request, response) => {
  if (refuses) {
    response.writeHead(503, REFUSAL_HEADERS);
    response.end(REFUSAL);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly agentId?: unknown };
    response.writeHead(body.agentId === undefined ? 400 : 200, HEADERS);
    response.end(ANSWER);
  });
});
// A connection that waits for its next request in an open loop stays open.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
