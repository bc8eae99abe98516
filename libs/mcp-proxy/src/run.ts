import type { Readable, Writable } from 'node:stream';
import { Lines, LineTooLongError } from './lines.js';
import type { Message } from './message.js';
import { Relay } from './relay.js';
import { SeenTools } from './seen-tools.js';
import type { McpServer, ServerEvents } from './server.js';
import { errorMessage, type ToolGuard } from './tool-guard.js';

/** Timeout for reporting the outcomes of the last calls. */
const REPORTED_WITHIN_MS = 3_000;
const REPORTED_AT_ONCE_MS = 1_000;
const LOOK_MS = 20;
const LONGEST_NOTE = 2_000;

export interface ProxyOptions {
  readonly guard: (note: (line: string) => void) => ToolGuard;
  readonly baseUrl: string;
  /** File for the input schemas of the tools that the server lists; absent: none. */
  readonly toolsFile?: string;
  readonly connect: (on: ServerEvents) => McpServer | Promise<McpServer>;
  readonly input: Readable;
  /** Receives messages of the protocol and nothing else. */
  readonly output: Writable;
  readonly errors: Writable;
  /** Ends the proxy immediately. */
  readonly signal: AbortSignal;
}

/**
 * Proxies between the client at `input` and `output` and a server, until either ends.
 * @returns the exit code: the server's if it ended by itself, else 0
 */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const { input, output, errors, signal, baseUrl } = options;
  // May contain text of a server: kept on one line and free of terminal control characters.
  const note = (line: string): void =>
    void errors.write(`countersign mcp-proxy: ${line.slice(0, LONGEST_NOTE).replace(/[\s\p{C}]+/gu, ' ')}\n`);
  const guard = options.guard(note);
  let asked = false;
  const early: Message[] = [];
  let server: McpServer | null = null;
  const seen = options.toolsFile === undefined ? null : new SeenTools(options.toolsFile, note);
  const relay: Relay = new Relay({
    guard,
    ...(seen === null ? {} : { listed: (result: unknown) => seen.add(result) }),
    baseUrl,
    note,
    ends: {
      toClient: (text) => void output.write(`${text}\n`),
      toServer: (message) => void (server === null ? early.push(message) : server.send(message)),
      opened: (version) => server?.opened?.(version),
      hold: (held) => {
        server?.hold?.(held);
        return server?.hold !== undefined;
      },
    },
  });
  const end = (how: 'gently' | 'now'): void => {
    asked = true;
    server?.end(how, () => relay.waiting.size > 0);
  };
  const inputEnded = async (): Promise<void> => {
    // Received calls are judged, and sent if allowed, before the server's input is closed.
    while (relay.waiting.judging > 0 && !asked) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (!asked) end('gently');
  };
  readLines(
    input,
    (line) => relay.fromClient(line),
    (problem) => {
      if (problem !== undefined) note(problem);
      void inputEnded();
    },
  );
  output.on('error', () => end('now'));
  signal.addEventListener('abort', () => end('now'), { once: true });

  server = await options.connect({
    line: (text) => relay.fromServer(text),
    failed: (message, why) => {
      if (message.kind === 'request') relay.failed(message.id, why);
      else note(`${message.kind} not delivered: ${why}`);
    },
    note,
  });
  for (const message of early) server.send(message);
  if (asked) end(signal.aborted ? 'now' : 'gently');

  const { why, exitCode } = await server.gone;
  if (!asked) note(why);
  await relay.serverGone(why);
  await seen?.written();
  const left = await guard.reported(signal.aborted ? REPORTED_AT_ONCE_MS : REPORTED_WITHIN_MS);
  if (left > 0) note(`what became of ${left} calls is not recorded: the service did not take it in time`);
  return exitCode;
}

function readLines(input: Readable, take: (line: string) => void, ended: (problem?: string) => void): void {
  const lines = new Lines();
  input.on('data', (chunk: Buffer) => {
    try {
      for (const line of lines.add(chunk)) take(line);
    } catch (error) {
      input.destroy(
        error instanceof LineTooLongError ? error : new Error(`what the client wrote: ${errorMessage(error)}`),
      );
    }
  });
  input.once('end', () => ended());
  input.once('close', () => ended());
  input.once('error', (error) => ended(errorMessage(error)));
}
