import { messageOf } from '@countersign/async';
import { HttpRefusal } from '@countersign/http-edge';
import type { Peers } from '../service/definition.js';
import { INTERNAL_PREFIX, OFFERS } from './offers.js';
import type { PeerName } from './offers.js';

const LONGEST_CALL_MS = 60_000;
const PING_MS = 2000;
const BEYOND_THE_WAIT_MS = 5000;

/** A peer cannot be reached now; the client whose request needs it gets 503. */
class PeerUnavailable extends HttpRefusal {
  constructor(service: string, why: string) {
    super(503, `${service} cannot be asked at the moment: try again`, { 'retry-after': '1' });
    this.cause = why;
  }
}

/** The address of a peer in another process, and the credential for it. */
export interface PeerAddress {
  readonly baseUrl: string;
  readonly credential: string;
}

/** Returns a peer of another process; each call of a method is one request. */
export function remotePeer<K extends PeerName>(name: K, place: PeerAddress): Peers[K] {
  const { by, methods } = OFFERS[name];
  const calls = methods.map((method) => [
    method,
    (...args: readonly unknown[]) => call(place, by, `${name}/${method}`, args, longest(name, method, args)),
  ]);
  return Object.fromEntries(calls) as Peers[K];
}

/** Pings a peer. @throws PeerUnavailable, with the answer of the other side as its cause, until it is offered there */
export async function reach(name: PeerName, place: PeerAddress): Promise<void> {
  await call(place, OFFERS[name].by, `${name}/ping`, [], PING_MS);
}

/** `caughtUp` waits on the other side for the timeout among its arguments. */
function longest(name: PeerName, method: string, args: readonly unknown[]): number {
  const waits = name === 'event-archive' && method === 'caughtUp' ? args[1] : undefined;
  return typeof waits === 'number' ? waits + BEYOND_THE_WAIT_MS : LONGEST_CALL_MS;
}

async function call(
  place: PeerAddress,
  service: string,
  path: string,
  args: readonly unknown[],
  timeoutMs: number,
): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${place.baseUrl}${INTERNAL_PREFIX}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${place.credential}` },
      body: JSON.stringify(args),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    text = await response.text();
  } catch (error) {
    throw new PeerUnavailable(service, `${place.baseUrl} ${reasonOf(error)}`);
  }
  const answer = parse(text);
  if (response.status === 200 && answer !== null) return answer.value;
  if (response.status === 500 && answer?.error !== undefined) throw new Error(`${service}: ${answer.error}`);
  throw new PeerUnavailable(service, `${place.baseUrl} answered ${response.status} ${answer?.error ?? ''}`.trim());
}

function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(inner);
}

function parse(text: string): { readonly value?: unknown; readonly error?: string } | null {
  try {
    return JSON.parse(text) as { readonly value?: unknown; readonly error?: string };
  } catch {
    return null;
  }
}
