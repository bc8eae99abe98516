import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../installed.js';
import { mongoAnswers } from './ask.js';
import { freePort } from './free-port.js';
import { controls, ServerProcess, type Controls } from './server-process.js';

export interface Mongo extends Controls {
  /** Without the name of a database: `mongodb://host:port/?directConnection=true`. */
  readonly uri: string;
}

/** Starts SecantusDB, which speaks MongoDB's protocol as a replica set of one. Its speed says nothing of MongoDB's. */
export async function startMongo(): Promise<Mongo> {
  let port = 0;
  const process = await ServerProcess.start(async () => {
    const chosen = await freePort();
    port = chosen;
    return {
      name: 'mongo',
      readyWithinMs: 20_000,
      // One transaction after the other, some 20 ms each: on a busy machine instances would find it unreachable.
      isAwaitedByAll: true,
      prepare: (folder) => void mkdirSync(join(folder, 'data')),
      command: (folder) => [
        join(cacheFolder(), 'mongo', 'bin', 'secantusd-py'),
        ...['--host', '127.0.0.1', '--port', String(chosen)],
        ...['--storage-path', join(folder, 'data'), '--log-level', 'WARNING'],
        // As MongoDB with `j: true`: without it, SIGKILL loses up to 100 ms of what the server has acknowledged.
        '--sync-on-commit',
      ],
      answers: () => mongoAnswers(chosen),
    };
  });
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    ...controls(process),
  };
}
