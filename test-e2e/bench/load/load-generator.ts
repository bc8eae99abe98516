import type { ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../subjects/program.js';
import type { Job, Outcome } from './job.js';

const PROGRAM = fileURLToPath(new URL('./generator.js', import.meta.url));

type Reply = { readonly outcome: Outcome } | { readonly error: string };

/** A process that generates load; it is reused, so that its code is compiled when it counts. */
export class LoadGenerator {
  readonly #child: ChildProcess;

  /** @param nice added to the niceness of this process */
  constructor(core: number | undefined, nice = 0) {
    this.#child = startProgram(PROGRAM, [], { core });
    if (nice > 0) setPriority(this.#child.pid!, Math.min(19, getPriority() + nice));
  }

  run(job: Job): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('the load generator ended'));
      this.#child.once('exit', gone);
      this.#child.once('message', (reply: Reply) => {
        this.#child.off('exit', gone);
        if ('error' in reply) reject(new Error(reply.error));
        else resolve(reply.outcome);
      });
      this.#child.send(job);
    });
  }

  stop(): void {
    this.#child.disconnect();
  }
}
