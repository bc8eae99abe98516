import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { Deliveries, NoAnswerError } from './deliveries.js';
import type { Message } from './message.js';
import type { McpServer, ServerEnd, ServerEvents } from './server.js';
import type { ServerAddress } from './server-address.js';

const BUSY_MS = 10_000;
const LOOK_MS = 50;
/** Timeout for the request that ends the session. */
const SESSION_END_MS = 1_000;
const SHORTEST_SECRET = 8;
/** Consecutive failures to resume a stream. */
const RESUMED_AT_MOST = 2;

/** Connects to a server by Streamable HTTP. Redirects to another origin are not followed. */
export async function connectHttp({ url, headers }: ServerAddress, on: ServerEvents): Promise<McpServer> {
  const secrets = Object.values(headers).flatMap((value) => value.split(' '));
  let ending = false;
  const failed = (message: Message, why: string): void => {
    if (!ending) on.failed(message, `the server at ${url.origin} failed (${why})`);
  };
  const deliveries = new Deliveries(fetch, RESUMED_AT_MOST, failed);
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: deliveries.fetch,
    reconnectionOptions: {
      maxRetries: RESUMED_AT_MOST,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 1.5,
    },
  });
  const events: Transport = transport;
  let ended: (end: ServerEnd) => void;
  const gone = new Promise<ServerEnd>((resolve) => (ended = resolve));
  events.onmessage = (message) => {
    deliveries.received(message);
    on.line(JSON.stringify(message));
  };
  events.onerror = (error) => {
    if (!ending) on.note(`${url.origin}: ${without(secrets, error.message)}`);
  };
  await transport.start();
  const close = async (exitCode: number, why: string): Promise<void> => {
    if (ending) return;
    ending = true;
    await Promise.race([transport.terminateSession().catch(() => undefined), wait(SESSION_END_MS)]);
    await transport.close();
    ended({ why, exitCode });
  };
  const send = async (message: Message): Promise<void> => {
    try {
      await deliveries.deliver(message, (onresumptiontoken) =>
        transport.send(message.value as JSONRPCMessage, { onresumptiontoken }),
      );
    } catch (error) {
      failed(message, safeMessage(error));
      const isOver = error instanceof StreamableHTTPError && error.code === 404 && transport.sessionId !== undefined;
      if (isOver) await close(1, `the server at ${url.origin} ended the session`);
    }
  };
  return {
    gone,
    send: (message) => void send(message),
    opened: (version) => transport.setProtocolVersion(version),
    end: (how, busy) => {
      const until = performance.now() + (how === 'now' ? 0 : BUSY_MS);
      const look = (): void => {
        if (busy?.() === true && performance.now() < until) setTimeout(look, LOOK_MS);
        else void close(0, 'the client ended the session');
      };
      look();
    },
  };
}

/** An error message for the model, without unscanned text of the server, which goes to standard error only. */
function safeMessage(error: unknown): string {
  if (error instanceof NoAnswerError) return error.message;
  if (error instanceof StreamableHTTPError) {
    return (error.code ?? 0) > 0
      ? `it answered with the status ${error.code}`
      : 'its answer is of no type of the protocol';
  }
  const { cause, name } = error instanceof Error ? error : {};
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/^[A-Z][A-Z0-9_]{0,60}$/u.test(code)) return code;
  return name === 'TypeError' ? 'the connection failed' : 'its answer is none of the protocol';
}

/** Replaces secrets that a server may have echoed. */
function without(secrets: readonly string[], text: string): string {
  return secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .reduce((left, secret) => left.replaceAll(secret, '…'), text);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
