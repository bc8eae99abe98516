import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Instance } from '../instance/instance.js';
import type { TimedAttempt } from '../server-faults/steady-load.js';

export interface PipelinedOptions {
  /** Unique among all loads on the installation. */
  readonly name: string;
  readonly connections: number;
  /** Pipelined checks per connection. */
  readonly depth: number;
  /** Checks in total. */
  readonly most: number;
}

interface Sent {
  readonly marker: string;
  readonly at: number;
}

/**
 * Sends as many checks at once as connections and depth allow, and one more for each answer, until all are sent: a cheap
 * way to overload an instance. Every answer is kept.
 */
export async function pipelinedLoad(
  { bootstrap }: Pick<Instance, 'bootstrap'>,
  { name, connections, depth, most }: PipelinedOptions,
): Promise<readonly TimedAttempt[]> {
  const { hostname, port, host } = new URL(bootstrap.baseUrl);
  const attempts: TimedAttempt[] = [];
  let next = 0;
  const head = `POST /v1/check HTTP/1.1\r\nhost: ${host}\r\nx-service-key: ${bootstrap.apiKey}\r\n`;
  const requestOf = (marker: string): string => {
    const body = JSON.stringify({ agentId: bootstrap.agentId, action: { type: 'tool_use', metadata: { marker } } });
    return `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const one = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let underWay: Sent[] = [];
      let text = '';
      const sendSome = (): void => {
        while (underWay.length < depth && next < most)
          underWay.push({ marker: `${name}-${next++}`, at: performance.now() });
        if (underWay.length === 0) resolve();
        else socket.write(underWay.map(({ marker }) => requestOf(marker)).join(''));
      };
      socket.setEncoding('latin1').on('data', (part: string) => {
        text += part;
        for (let answer = firstAnswer(text); answer !== null; answer = firstAnswer(text)) {
          text = text.slice(answer.length);
          const [sent, ...rest] = underWay;
          underWay = rest;
          const { status, eventId, retryAfter, body } = answer;
          const tookMs = performance.now() - sent!.at;
          attempts.push({
            marker: sent!.marker,
            status,
            eventId,
            retryAfter,
            text: body,
            sentAt: sent!.at,
            tookMs,
            agentId: bootstrap.agentId,
          });
          if (underWay.length === 0) sendSome();
        }
      });
      socket.on('error', reject).on('close', () => reject(new Error('a connection was closed under load')));
      sendSome();
    });
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname));
  try {
    await Promise.all(sockets.map(one));
  } finally {
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  }
  return attempts;
}

interface RawAnswer {
  readonly status: number;
  readonly eventId: string | null;
  readonly retryAfter: string | null;
  readonly body: string;
  /** Total number of characters. */
  readonly length: number;
}

function firstAnswer(text: string): RawAnswer | null {
  const end = text.indexOf('\r\n\r\n') + 4;
  if (end < 4) return null;
  const head = text.slice(0, end);
  const header = (name: string): string | null => new RegExp(`\r\n${name}: (.*)\r\n`, 'i').exec(head)?.[1] ?? null;
  const length = end + Number(header('content-length'));
  if (text.length < length) return null;
  return {
    status: Number(head.slice(9, 12)),
    eventId: header('x-event-id'),
    retryAfter: header('retry-after'),
    body: text.slice(end, length),
    length,
  };
}
