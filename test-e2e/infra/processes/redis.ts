import { redisAnswers } from './ask.js';
import { freePort } from './free-port.js';
import { controls, ServerProcess, type Controls } from './server-process.js';

export interface Redis extends Controls {
  readonly url: string;
}

/** Starts a Redis that keeps its data on disk (append-only file, every second). */
export async function startRedis(): Promise<Redis> {
  let port = 0;
  const process = await ServerProcess.start(async () => {
    const chosen = await freePort();
    port = chosen;
    return {
      name: 'redis',
      readyWithinMs: 10_000,
      prepare: () => undefined,
      command: (folder) => [
        'redis-server',
        ...['--port', String(chosen), '--bind', '127.0.0.1', '--dir', folder],
        ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--daemonize', 'no'],
      ],
      answers: () => redisAnswers(chosen),
    };
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    ...controls(process),
  };
}
