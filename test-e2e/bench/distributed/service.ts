import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#infra/processes/free-port.js';
import { guardProcess } from '#infra/processes/guard.js';
import { open } from '../subjects/http.js';
import { ended, startProgram } from '../subjects/program.js';

const PROGRAM = fileURLToPath(new URL('../../../../services/standalone/bin/countersign.js', import.meta.url));
/** Arguments of a gateway in the chart and the compose file. */
const GATEWAY_ARGUMENTS = ['--max-semi-space-size=32'];
const READY_WITHIN_MS = 120_000;
const STOPPED_WITHIN_MS = 60_000;

export interface ServiceOptions {
  readonly core: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly nodeArguments?: readonly string[];
}

/** Services of the distributed profile in one process of their own. */
export class ServiceUnderTest {
  private constructor(
    readonly child: ChildProcess,
    readonly baseUrl: string,
  ) {}

  static async start(names: readonly string[], options: ServiceOptions): Promise<ServiceUnderTest> {
    const port = await freePort();
    const { core } = options;
    const shipped = names.length === 1 && names[0] === 'gateway' ? GATEWAY_ARGUMENTS : [];
    const nodeArguments = [...shipped, ...(options.nodeArguments ?? [])];
    const env = { ...options.env, COUNTERSIGN_PORT: String(port) };
    const child = startProgram(PROGRAM, ['start', ...names], { core, env, nodeArguments });
    guardProcess(child);
    return new ServiceUnderTest(child, `http://127.0.0.1:${port}`);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Resolves when `/readyz` returns 200. */
  async ready(): Promise<this> {
    const until = performance.now() + READY_WITHIN_MS;
    for (;;) {
      if (this.child.exitCode !== null) throw new Error('a service ended before it was ready');
      const answer = await open(this.baseUrl, 'GET', '/readyz', {}).catch(() => null);
      answer?.stream.resume();
      if (answer?.status === 200) return this;
      if (performance.now() > until) throw new Error('a service was not ready in time');
      await sleep(20);
    }
  }

  /** Its metrics by name with labels, as written; empty while it does not answer. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const answer = await open(this.baseUrl, 'GET', '/metrics', {}).catch(() => null);
    let text = '';
    if (answer !== null) for await (const chunk of answer.stream as AsyncIterable<Buffer>) text += chunk.toString();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  }

  /** SIGTERM, and SIGKILL after a timeout. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const cut = setTimeout(() => this.child.kill('SIGKILL'), STOPPED_WITHIN_MS);
    await ended(this.child);
    clearTimeout(cut);
  }
}
