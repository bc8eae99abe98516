/**
 * A runner of Jest: test files in plain Node processes, each of which runs one file after another and keeps the modules of
 * the product. A file is run by the worker of jest-light-runner. The pool of that package never ends its processes: one with an open
 * handle outlives Jest, and holds the output that the caller of Jest reads to its end.
 *
 * Its option `limits` names files, by a regular expression, and how many of them may run at the same time. The last
 * `behind` processes run files without a limit and without servers alone, with a lower priority: they take the time that the
 * others leave, and their tests have more of it.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('jest-worker.mjs', import.meta.url));
/** A process may write its coverage and profile after its last file. */
const END_MS = 2_000;
/** Tests of an adapter wait for a server many times: behind others each would take too long. */
const WITH_SERVERS = /\.int\.test\.js$/;

export default class Runner {
  #globalConfig;
  #limits;
  #behind;

  constructor(globalConfig, _context, { limits = [], behind = 0 } = {}) {
    this.#behind = behind;
    this.#globalConfig = globalConfig;
    this.#limits = limits.map(([files, most]) => ({ files: new RegExp(files), most, running: 0 }));
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    // Limited files first, then those with servers: while they run, processes that may not take another one run the rest.
    const waiting = tests.toSorted((a, b) => this.#rankOf(b) - this.#rankOf(a));
    const { maxWorkers } = this.#globalConfig;
    const failDead = async (worker) => {
      const death = worker.takeDeath();
      if (death !== null) await onFailure(death.test, death.error);
    };
    const lane = async (id) => {
      const isBehind = id > Math.max(1, maxWorkers - this.#behind);
      const mayRun = (test) => {
        const limits = this.#limitsOf(test);
        if (isBehind) return limits.length === 0 && !WITH_SERVERS.test(test.path);
        return limits.every(({ running, most }) => running < most);
      };
      const worker = new Worker(id, this.#globalConfig, isBehind);
      try {
        while (!watcher.isInterrupted()) {
          const next = waiting.findIndex(mayRun);
          if (next === -1) return;
          const [test] = waiting.splice(next, 1);
          await failDead(worker);
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
        await failDead(worker);
      }
    };
    await Promise.all(Array.from({ length: maxWorkers }, (_, index) => lane(index + 1)));
  }

  #rankOf(test) {
    return 2 * this.#limitsOf(test).length + (WITH_SERVERS.test(test.path) ? 1 : 0);
  }

  #limitsOf({ path }) {
    return this.#limits.filter(({ files }) => files.test(path));
  }
}

/** A process that runs test files one after another. One that died is replaced before the next file. */
class Worker {
  #id;
  #globalConfig;
  #isBehind;
  #process = null;
  #last = null;
  #death = null;

  constructor(id, globalConfig, isBehind) {
    this.#id = id;
    this.#globalConfig = globalConfig;
    this.#isBehind = isBehind;
  }

  /** @throws Error if the file cannot be loaded, or the process ends while it runs */
  async run(test) {
    this.#process ??= this.#fork();
    const child = this.#process;
    const settled = new AbortController();
    try {
      child.send({ path: test.path, globalConfig: this.#globalConfig, projectConfig: test.context.config });
      const [{ result, error }] = await Promise.race([
        once(child, 'message', settled),
        once(child, 'exit', settled).then(([code, signal]) => {
          this.#death = null;
          throw new Error(`the process of the tests ended: ${signal ?? code}`);
        }),
      ]);
      if (error !== undefined) throw error;
      this.#last = test;
      return result;
    } finally {
      settled.abort();
    }
  }

  /** Returns, once, the file after which the process died with an error, such as a rejection that nothing handled; or `null`. */
  takeDeath() {
    const death = this.#death;
    this.#death = null;
    return death;
  }

  async end() {
    const child = this.#process;
    if (child === null) return;
    const exit = once(child, 'exit');
    child.disconnect();
    await Promise.race([exit, delay(END_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await exit;
  }

  #fork() {
    const env = {
      ...process.env,
      JEST_WORKER_ID: `${this.#id}`,
      ...(this.#isBehind && { COUNTERSIGN_TEST_BEHIND: 'true' }),
    };
    const child = fork(WORKER, { env, serialization: 'advanced' });
    if (this.#isBehind && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    child.once('exit', (code, signal) => {
      this.#process = null;
      if (code === 0 || child.killed || this.#last === null) return;
      this.#death = {
        test: this.#last,
        error: new Error(`the process of the tests ended after the file: ${signal ?? code}`),
      };
    });
    return child;
  }
}
