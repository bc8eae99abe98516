import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { messageOf } from '@countersign/async';
import { Lines } from './lines.js';
import type { McpServer, ServerEnd, ServerEvents } from './server.js';

/** Grace periods after the end of its input: for an idle server, and for one with pending answers. */
const IDLE_MS = 2_000;
const BUSY_MS = 10_000;
/** From SIGTERM to SIGKILL. */
const KILL_MS = 1_000;

/** Exit code of shells for a missing command. */
const NOT_FOUND = 127;
const NOT_STARTED = 126;
const BY_SIGNAL = 128;

/**
 * Starts a server as a process group of its own, so that all of it can be ended; its standard error goes to ours.
 * @param environment its complete environment
 */
export function startChild(
  [command, ...args]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
  on: ServerEvents,
): McpServer {
  const child = spawn(command, args, {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const lines = new Lines();
  let timer: NodeJS.Timeout | undefined;
  const kill = (signal: NodeJS.Signals): void => signalGroup(child, signal);
  /** The proxy ends it; it did not end by itself. */
  let ended = false;
  const terminate = (): void => {
    ended ||= child.exitCode === null && child.signalCode === null;
    clearTimeout(timer);
    kill('SIGTERM');
    timer = setTimeout(() => kill('SIGKILL'), KILL_MS);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      for (const line of lines.add(chunk)) on.line(line);
    } catch (error) {
      on.note(`the server is ended: ${messageOf(error)}`);
      terminate();
    }
  });
  // The end of the process is reported by its exit.
  for (const stream of [child.stdin, child.stdout]) stream.on('error', () => undefined);
  const gone = new Promise<ServerEnd>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      const exitCode = error.code === 'ENOENT' ? NOT_FOUND : NOT_STARTED;
      if (child.pid === undefined)
        resolve({ why: `${command} cannot be started (${error.code ?? error.message})`, exitCode });
    });
    // Processes left in its group would otherwise keep its output open, and survive.
    child.on('exit', terminate);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const why = `the server ended (${signal === null ? `with ${code}` : `by ${signal}`})`;
      resolve({ why, exitCode: ended ? 0 : (code ?? BY_SIGNAL + constants.signals[signal ?? 'SIGKILL']) });
    });
  });
  return {
    gone,
    send: ({ text }) => void child.stdin.write(`${text}\n`),
    hold: (held) => void (held ? child.stdout.pause() : child.stdout.resume()),
    end: (how, busy) => {
      child.stdin.end();
      if (how === 'now') return terminate();
      const until = performance.now() + BUSY_MS;
      const look = (): void => {
        if (busy?.() === true && performance.now() < until) timer = setTimeout(look, IDLE_MS);
        else terminate();
      };
      timer = setTimeout(look, IDLE_MS);
    },
  };
}

/** Signals the process group, where there are groups: `npx` starts the server as a child process. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}
