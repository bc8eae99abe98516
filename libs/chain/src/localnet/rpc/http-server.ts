import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { answerBody } from './dispatch.js';
import type { LocalNode } from './method.js';

export const LARGEST_BODY = 1024 * 1024;

/** JSON-RPC over HTTP, for pages of any origin: the network holds only test money and public records. */
export function createRpcServer(node: LocalNode): Server {
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 10_000, requestTimeout: 15_000 });
  server.maxConnections = 1_000;
  server.on('request', (request, response) => {
    handle(node, request, response).catch(() => response.destroy());
  });
  return server;
}

async function handle(node: LocalNode, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('access-control-allow-origin', '*');
  if (request.method === 'OPTIONS') {
    const asked = request.headers['access-control-request-headers'];
    response.setHeader('access-control-allow-methods', 'POST, GET');
    response.setHeader('access-control-allow-headers', asked ?? 'content-type');
    response.setHeader('access-control-max-age', '86400');
    response.writeHead(204).end();
    return;
  }
  if (request.method === 'GET' && request.url === '/health') {
    send(response, 200, 'text/plain', node.bank.broken() === null ? 'ok' : 'unknown');
    return;
  }
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST, OPTIONS');
    send(response, 405, 'text/plain', 'Used HTTP Method is not allowed. POST or OPTIONS is required\n');
    return;
  }
  const body = await readBody(request);
  if (body === null) {
    response.setHeader('connection', 'close');
    send(response, 413, 'text/plain', `The body is larger than ${LARGEST_BODY} bytes\n`);
    return;
  }
  const answer = await answerBody(node, body);
  if (answer === null) response.writeHead(204).end();
  else send(response, 200, 'application/json', JSON.stringify(answer));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** `null`: over the limit; the rest is not read. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) return null;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > LARGEST_BODY) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
