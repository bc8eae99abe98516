import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Message } from './message.js';
import type { McpServer, ServerEnd, ServerEvents } from './server.js';
import { wordsOf } from './tool-guard.js';

const BUSY_MS = 10_000;
const LOOK_MS = 50;
/** For the server to end its session. */
const FAREWELL_MS = 1_000;

/** A server at an address, by Streamable HTTP. Redirects to another origin are not followed. */
export async function connectHttp(
  url: URL,
  headers: Readonly<Record<string, string>>,
  on: ServerEvents,
): Promise<McpServer> {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const events: Transport = transport;
  let ended: (end: ServerEnd) => void;
  const gone = new Promise<ServerEnd>((resolve) => (ended = resolve));
  let ending = false;
  events.onmessage = (message) => on.line(JSON.stringify(message));
  events.onerror = (error) => {
    if (!ending) on.note(`${url.origin}: ${error.message}`);
  };
  await transport.start();
  const close = async (exitCode: number, why: string): Promise<void> => {
    if (ending) return;
    ending = true;
    await Promise.race([transport.terminateSession().catch(() => undefined), wait(FAREWELL_MS)]);
    await transport.close();
    ended({ why, exitCode });
  };
  const send = async (message: Message): Promise<void> => {
    try {
      await transport.send(message.value as JSONRPCMessage);
    } catch (error) {
      on.failed(message, `the server at ${url.origin} failed (${wordsOf(error)})`);
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

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
