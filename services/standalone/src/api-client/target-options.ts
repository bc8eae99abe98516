import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '@countersign/service-kit';
import { readBootstrap, type Bootstrap } from './api.js';

export interface TargetOptions {
  readonly dataDir?: string;
  readonly baseUrl?: string;
}

/** Options of the commands that talk to a running instance. */
export function withTarget(command: Command): Command {
  return command
    .option(
      '--data-dir <folder>',
      'data directory of the instance, for its bootstrap.json; default: COUNTERSIGN_DATA_DIR, or data',
    )
    .option('--base-url <url>', 'address of the instance; default: as bootstrap.json says');
}

/** The instance that the options name. */
export async function targetOf(options: TargetOptions): Promise<Bootstrap> {
  const dataDir = options.dataDir === undefined ? loadConfig().dataDir : resolve(options.dataDir);
  const bootstrap = await readBootstrap(dataDir);
  return options.baseUrl === undefined ? bootstrap : { ...bootstrap, baseUrl: options.baseUrl };
}

/** For an option that may be given several times; it never takes the argument behind it. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
