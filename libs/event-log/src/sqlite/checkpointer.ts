import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { CheckpointRuns } from './checkpoint-plan.js';
import { GONE } from './protocol.js';
import type { FromCheckpointer, ToCheckpointer } from './protocol.js';

/** Time that closing waits for the thread, ms: a longer run holds no lock of the writer. */
const STOP_MS = 10_000;
/** Interval of the checks that the thread is alive, ms. */
const LOOK_MS = 1000;

/** The writer's handle of the thread that moves the write-ahead log into the file. */
export class Checkpointer implements CheckpointRuns {
  readonly #port: MessagePort;
  /** One cell: the number of ended runs, or `GONE`. */
  readonly #cell = new Int32Array(new SharedArrayBuffer(4));
  #asked = 0;
  #taken = 0;
  #problem: string | null = null;
  #stopping = false;

  /** @param changed called when a run has ended or failed, unless a call of this object noticed it before */
  constructor(file: string, changed: () => void) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const worker = new Worker(new URL('./checkpoint-thread.js', import.meta.url), {
      workerData: { file, port: port2, ended: this.#cell },
      transferList: [port2],
    });
    const take = (problem: string | null) => {
      this.#problem ??= problem;
      if (!this.#stopping) changed();
    };
    worker.on('error', (error) => take(error.message));
    worker.on('exit', () => take(this.#stopping ? null : 'the checkpoint thread has ended'));
    port1.on('message', (message: FromCheckpointer) => {
      this.#take(message);
      take(null);
    });
  }

  get underWay(): boolean {
    return this.#taken < this.#asked;
  }

  get ended(): number {
    this.#receive();
    return this.#taken;
  }

  begin(): void {
    this.#asked += 1;
    this.#port.postMessage({ kind: 'checkpoint' } satisfies ToCheckpointer);
  }

  problem(): string | null {
    this.#receive();
    if (Atomics.load(this.#cell, 0) === GONE && !this.#stopping) this.#problem ??= 'the checkpoint thread has ended';
    return this.#problem;
  }

  wait(): void {
    for (;;) {
      const ended = Atomics.load(this.#cell, 0);
      if (this.problem() !== null || !this.underWay) return;
      Atomics.wait(this.#cell, 0, ended, LOOK_MS);
    }
  }

  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#port.postMessage({ kind: 'close' } satisfies ToCheckpointer);
    const until = performance.now() + STOP_MS;
    for (;;) {
      const ended = Atomics.load(this.#cell, 0);
      const left = until - performance.now();
      if (ended === GONE || left <= 0) break;
      Atomics.wait(this.#cell, 0, ended, left);
    }
    this.#receive();
    this.#port.close();
  }

  #receive(): void {
    for (;;) {
      const next = receiveMessageOnPort(this.#port) as { message: FromCheckpointer } | undefined;
      if (next === undefined) return;
      this.#take(next.message);
    }
  }

  #take({ problem }: FromCheckpointer): void {
    this.#taken += 1;
    this.#problem ??= problem;
  }
}
