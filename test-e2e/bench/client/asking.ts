import { Agent, request as httpRequest } from 'node:http';
import { randomUUID } from 'node:crypto';
import { Countersign } from '@countersign/client';
import { Samples } from '../load/samples.js';

/**
 * Program: calls one instance in three alternating ways, one request at a time, each way on one persistent connection.
 * Takes a job as its argument and sends its parent the medians of each repetition at the end.
 */
export interface AskingJob {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly agentId: string;
  readonly repetitions: number;
  /** Per way and repetition. */
  readonly requests: number;
}

export interface WayFigures {
  /** ms */
  readonly p50: number;
  /** Of a core, for the calling process. */
  readonly cpuMicros: number;
}

export interface AskingFigures {
  /** A request of node:http with the same headers and body, its answer read completely. */
  readonly bare: WayFigures;
  /** The same by the platform's `fetch`. */
  readonly fetch: WayFigures;
  readonly client: WayFigures;
}

const SLICES = 20;
const WARM_UP = 500;
const ACTION = {
  url: 'https://api.airline.example/v2/reservations/ZFA04Y/baggage',
  toolName: 'update_reservation_baggages',
  estimatedCost: 0.015,
  metadata: { conversation: 'c-1842', step: 7 },
  payload: { reservation_id: 'ZFA04Y', total_baggages: 3, nonfree_baggages: 1, payment_id: 'gift_card_8190333' },
};

const job = JSON.parse(process.argv[2] ?? '') as AskingJob;
const body = JSON.stringify({ agentId: job.agentId, action: { ...ACTION, type: 'http_call' } });
const headers = {
  'content-type': 'application/json',
  'x-service-key': job.apiKey,
  authorization: `Bearer ${job.apiKey}`,
};
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const url = new URL('/v1/check', job.baseUrl);
const client = new Countersign(job);

/** A new key each, like the client: the service remembers each for a day. */
function bare(): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = { ...headers, 'content-length': body.length, 'idempotency-key': randomUUID() };
    const asked = httpRequest(url, { method: 'POST', agent, headers: sent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => (text += piece));
      answer.on('end', () => (text === '{"allowed":true}' ? resolve() : reject(new Error(text))));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

async function byFetch(): Promise<void> {
  const sent = { ...headers, 'idempotency-key': randomUUID() };
  const text = await (await fetch(url, { method: 'POST', headers: sent, body })).text();
  if (text !== '{"allowed":true}') throw new Error(text);
}

async function byClient(): Promise<void> {
  const { allowed, reason } = await client.check({ actionType: 'http_call', ...ACTION });
  if (!allowed) throw new Error(reason);
}

async function repetition(requests: number): Promise<AskingFigures> {
  const ways = { bare, fetch: byFetch, client: byClient };
  const samples = { bare: new Samples(), fetch: new Samples(), client: new Samples() };
  const cpu = { bare: 0, fetch: 0, client: 0 };
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const way of ['bare', 'fetch', 'client'] as const) {
      const before = process.cpuUsage();
      for (let n = 0; n < requests / SLICES; n += 1) {
        const from = performance.now();
        await ways[way]();
        samples[way].add(performance.now() - from);
      }
      const { user, system } = process.cpuUsage(before);
      cpu[way] += user + system;
    }
  }
  const of = (way: keyof typeof samples): WayFigures => ({
    p50: samples[way].latencies().p50,
    cpuMicros: cpu[way] / requests,
  });
  return { bare: of('bare'), fetch: of('fetch'), client: of('client') };
}

await repetition(WARM_UP);
for (let n = 0; n < job.repetitions; n += 1) process.send?.(await repetition(job.requests));
process.disconnect();
agent.destroy();
