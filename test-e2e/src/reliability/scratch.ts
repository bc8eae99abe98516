import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Instance, type StartOptions } from '../instance/instance.js';

/** A folder of one test with a data directory in it, and all instances that were started there. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'));
  readonly dataDir = join(this.folder, 'data');
  readonly #started: Instance[] = [];

  async start(options: Omit<StartOptions, 'dataDir'> & { readonly dataDir?: string } = {}): Promise<Instance> {
    const { wait = true, ...rest } = options;
    const instance = await Instance.start({ dataDir: this.dataDir, ...rest, wait: false });
    this.#started.push(instance);
    if (wait) await instance.ready();
    return instance;
  }

  /** SIGKILL for all that still run. */
  async end(): Promise<void> {
    for (const instance of this.#started) {
      if (instance.child.exitCode === null && instance.child.signalCode === null) await instance.kill();
    }
  }

  /** Ends all that still run and removes the files. */
  async discard(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Before the test began, whatever the clocks did. */
export const EVER = '2000-01-01T00:00:00.000Z';
