/**
 * A runner of Jest: test files in plain Node processes, each of which runs one file after another and keeps the modules of
 * the product. A file is run by the worker of jest-light-runner. The pool of that package never ends its processes: one with an open
 * handle outlives Jest, and holds the output that the caller of Jest reads to its end.
 *
 * Its option `limits` names files, by a regular expression, and how many of them may run at the same time.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('jest-worker.mjs', import.meta.url));
/** A process may write its coverage and profile after its last file. */
const END_MS = 2_000;

export default class Runner {
  #globalConfig;
  #limits;

  constructor(globalConfig, _context, { limits = [] } = {}) {
    this.#globalConfig = globalConfig;
    this.#limits = limits.map(([files, most]) => ({ files: new RegExp(files), most, running: 0 }));
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    // Limited files first: while they run, processes that may not take another one run the rest.
    const waiting = tests.toSorted((a, b) => this.#limitsOf(b).length - this.#limitsOf(a).length);
    const lane = async (id) => {
      const worker = new Worker(id, this.#globalConfig);
      try {
        while (!watcher.isInterrupted()) {
          const next = waiting.findIndex((test) => this.#limitsOf(test).every(({ running, most }) => running < most));
          if (next === -1) return;
          const [test] = waiting.splice(next, 1);
          for (const limit of this.#limitsOf(test)) limit.running += 1;
          await onStart(test);
          await worker.run(test).then(
            (result) => onResult(test, result),
            (error) => onFailure(test, error),
          );
          for (const limit of this.#limitsOf(test)) limit.running -= 1;
        }
      } finally {
        await worker.end();
      }
    };
    await Promise.all(Array.from({ length: this.#globalConfig.maxWorkers }, (_, index) => lane(index + 1)));
  }

  #limitsOf({ path }) {
    return this.#limits.filter(({ files }) => files.test(path));
  }
}

/** A process that runs test files one after another. One that died is replaced before the next file. */
class Worker {
  #id;
  #globalConfig;
  #process = null;

  constructor(id, globalConfig) {
    this.#id = id;
    this.#globalConfig = globalConfig;
  }

  /** @throws Error if the file cannot be loaded, or the process ends while it runs */
  async run({ path, context }) {
    this.#process ??= fork(WORKER, {
      env: { ...process.env, JEST_WORKER_ID: `${this.#id}` },
      serialization: 'advanced',
    });
    const child = this.#process;
    const settled = new AbortController();
    try {
      child.send({ path, globalConfig: this.#globalConfig, projectConfig: context.config });
      const [{ result, error }] = await Promise.race([
        once(child, 'message', settled),
        once(child, 'exit', settled).then(([code, signal]) => {
          this.#process = null;
          throw new Error(`the process of the tests ended: ${signal ?? code}`);
        }),
      ]);
      if (error !== undefined) throw error;
      return result;
    } finally {
      settled.abort();
    }
  }

  async end() {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.disconnect();
    await Promise.race([exit, delay(END_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await exit;
  }
}
