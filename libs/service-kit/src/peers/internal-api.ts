import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '@countersign/async';
import type { Logger } from 'pino';
import type { EventArchive } from '@countersign/contracts';
import { CountersUnavailable } from '@countersign/counters';
import { StoreUnreachable } from '@countersign/document-store';
import { HttpRefusal } from '@countersign/http-edge';
import type { RawHandler } from '@countersign/http-edge';
import type { PeerRegistry } from '../service/peer-registry.js';
import { INTERNAL_PREFIX, PEER_NAMES, OFFERS } from './offers.js';
import type { PeerName } from './offers.js';

const LONGEST_REQUEST = 1024 * 1024;
const LONGEST_RANGE = 16 * 1024 * 1024;
const RANGE_PAGE = 50;

/**
 * `POST /internal/<peer>/<method>`: takes a JSON array of arguments, returns `{value}`, for callers with the service
 * credential. 404 for a peer or method that does not exist, 503 for one that this process does not offer (yet) and while a
 * backend of the method is unavailable, 500 `{error}` for another error of the method.
 */
export function internalApi(peers: PeerRegistry, credential: string, log: Logger): RawHandler {
  const expected = sha256(`Bearer ${credential}`);
  return (request, response) => {
    const url = request.url ?? '';
    if (!url.startsWith(INTERNAL_PREFIX)) return false;
    answer(peers, expected, request, url.slice(INTERNAL_PREFIX.length)).then(
      (value) => respond(response, 200, { value: value ?? null }),
      (error: unknown) => {
        if (error instanceof HttpRefusal) return respond(response, error.status, { error: error.message });
        log.error({ err: error, path: url }, 'an internal request failed');
        const isUnavailable = error instanceof StoreUnreachable || error instanceof CountersUnavailable;
        return respond(response, isUnavailable ? 503 : 500, { error: messageOf(error) });
      },
    );
    return true;
  };
}

async function answer(peers: PeerRegistry, expected: Buffer, request: IncomingMessage, path: string): Promise<unknown> {
  if (!timingSafeEqual(sha256(request.headers.authorization ?? ''), expected)) {
    throw new HttpRefusal(401, 'this needs the service credential: do all processes have the same instance secret?');
  }
  if (request.method !== 'POST') throw new HttpRefusal(405, 'use POST');
  const [name = '', method = '', ...rest] = path.split('/');
  if (rest.length > 0 || !isPeer(name)) throw new HttpRefusal(404, 'there is no such peer');
  const provided = peers.provided(name);
  if (provided === null) throw new HttpRefusal(503, `${name} is not offered here, or not yet`);
  if (method === 'ping') return null;
  if (!(OFFERS[name].methods as readonly string[]).includes(method))
    throw new HttpRefusal(404, 'there is no such method');
  const args = await readArguments(request);
  if (name === 'event-archive' && method === 'range') {
    return boundedRange(provided as EventArchive, args as Parameters<EventArchive['range']>);
  }
  const methods = provided as unknown as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  return methods[method]?.(...args);
}

/** Returns fewer events than requested once their text exceeds the limit of one response; at least one if there is any. */
async function boundedRange(
  archive: EventArchive,
  [agentId, first, last, limit]: Parameters<EventArchive['range']>,
): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  for (let bytes = 0, next = first; bytes < LONGEST_RANGE && events.length < limit && next <= last;) {
    const page = await archive.range(agentId, next, last, Math.min(RANGE_PAGE, limit - events.length));
    const newest = page.at(-1);
    if (newest === undefined) break;
    for (const event of page) bytes += JSON.stringify(event.envelope).length;
    events.push(...page);
    next = newest.sequence + 1;
  }
  return events;
}

async function readArguments(request: IncomingMessage): Promise<readonly unknown[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LONGEST_REQUEST) throw new HttpRefusal(413, 'the request is too long');
    chunks.push(chunk);
  }
  let args: unknown;
  try {
    args = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new HttpRefusal(400, 'the arguments are not JSON');
  }
  if (!Array.isArray(args)) throw new HttpRefusal(400, 'the arguments are not an array');
  return args as readonly unknown[];
}

function isPeer(name: string): name is PeerName {
  return (PEER_NAMES as readonly string[]).includes(name);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    ...(status === 413 ? { connection: 'close' } : {}),
  });
  response.end(bytes);
}
