import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { InstallationState } from '@countersign/contracts';
import type { Sample } from '@countersign/service-kit';
import { METRICS } from './figures.js';
import { readPrometheusText } from './prometheus-text.js';

/** For both answers of a process, ms. */
const WITHIN_MS = 2000;
/** Of an answer. `/metrics` of a process with all services has some 100 KiB. */
const MOST_BYTES = 2 * 1024 * 1024;
/** Instances behind one name. */
const MOST_INSTANCES = 16;
const MOST_REASONS = 50;
const MOST_CHARACTERS = 500;

type ServiceState = InstallationState['services'][number];

export interface Probed {
  readonly service: ServiceState;
  readonly samples: readonly Sample[];
}

export interface Probe {
  readonly name: string;
  /** No trailing slash. */
  readonly url: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Reads `/readyz` and `/metrics` of each instance behind an address: of each address of its name. Follows no redirect. Never
 * rejects: what does not answer in time is `unknown`.
 * @param token `COUNTERSIGN_METRICS_TOKEN`, sent with `/metrics` alone
 */
export async function readProbe(probe: Probe, token: string | null): Promise<readonly Probed[]> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  let addresses: readonly string[];
  try {
    const host = new URL(probe.url).hostname.replace(/^\[(.*)\]$/, '$1');
    const found = await beforeAbort(lookup(host, { all: true, verbatim: true }), signal);
    addresses = [...new Set(found.map(({ address }) => address))].sort().slice(0, MOST_INSTANCES);
  } catch (error) {
    return [unknown(probe.name, reasonOf(error))];
  }
  const named = (address: string): string => (addresses.length === 1 ? probe.name : `${probe.name} at ${address}`);
  return Promise.all(addresses.map((address) => readInstance(named(address), probe.url, address, token, signal)));
}

async function readInstance(
  name: string,
  url: string,
  address: string,
  token: string | null,
  signal: AbortSignal,
): Promise<Probed> {
  const credential = token === null ? {} : { authorization: `Bearer ${token}` };
  const [readiness, metrics] = await Promise.allSettled([
    get(`${url}/readyz`, address, {}, signal),
    get(`${url}/metrics`, address, credential, signal),
  ]);
  if (readiness.status === 'rejected') return unknown(name, reasonOf(readiness.reason));
  const state = stateOf(name, readiness.value);
  if (state.state === 'unknown') return { service: state, samples: [] };
  try {
    if (metrics.status === 'rejected') throw metrics.reason;
    if (metrics.value.status !== 200) throw new Error(`GET /metrics answers ${metrics.value.status}`);
    return { service: state, samples: readPrometheusText(metrics.value.text, METRICS) };
  } catch (error) {
    return { service: { ...state, problem: `its figures cannot be read: ${reasonOf(error)}` }, samples: [] };
  }
}

function unknown(name: string, problem: string): Probed {
  return { service: { name, state: 'unknown', waitingFor: [], problem }, samples: [] };
}

/** Ready is only what says so with 200. */
function stateOf(name: string, { status, text }: Answer): ServiceState {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Judged below.
  }
  const { ready, waitingFor } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (status === 200 && ready === true) return { name, state: 'ready', waitingFor: [], problem: null };
  if (status !== 503 || ready !== false || !Array.isArray(waitingFor)) {
    return unknown(name, `GET /readyz answers ${status}, and not as a service of this installation`).service;
  }
  const reasons = waitingFor.slice(0, MOST_REASONS).map((reason) => String(reason).slice(0, MOST_CHARACTERS));
  return { name, state: 'waiting', waitingFor: reasons, problem: null };
}

/** Connects to this address of the host. */
function get(
  url: string,
  address: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const family = address.includes(':') ? 6 : 4;
    const sent = request(url, {
      agent: false,
      headers,
      signal,
      lookup: (_host, options, done) => {
        if (options.all === true) done(null, [{ address, family }]);
        else done(null, address, family);
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) sent.destroy(new Error(`the answer has more than ${MOST_BYTES} bytes`));
        else chunks.push(chunk);
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.end();
  });
}

function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    promise.then(resolve, reject);
  });
}

/** A code of Node.js without addresses, or a text of this file. */
function reasonOf(error: unknown): string {
  const { name, code, message } = error as Error & { readonly code?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return `no answer within ${WITHIN_MS / 1000} s`;
  return typeof code === 'string' ? code : message;
}
