import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '@countersign/process/load-config';
import { readBootstrap, type Bootstrap } from './api.js';

export interface TargetOptions {
  readonly dataDir?: string;
  readonly baseUrl?: string;
}

/** Adds the options of the commands that talk to a running instance. */
export function withTarget(command: Command): Command {
  return command
    .option(
      '--data-dir <folder>',
      'data directory of the instance, for its bootstrap.json; default: COUNTERSIGN_DATA_DIR, or data',
    )
    .option('--base-url <url>', 'address of the instance; default: as bootstrap.json says');
}

/**
 * The address of the instance and the named values: from the options, else from `bootstrap.json`,
 * which is read only if an option is missing.
 */
export async function targetOf<K extends Exclude<keyof Bootstrap, 'baseUrl'>>(
  options: TargetOptions,
  given: Readonly<Record<K, string | undefined>>,
): Promise<Readonly<Record<K | 'baseUrl', string>>> {
  const wanted: Readonly<Record<string, string | undefined>> = { ...given, baseUrl: options.baseUrl };
  const known = Object.values(wanted).includes(undefined) ? await bootstrapOf(options) : null;
  const entries = Object.entries(wanted).map(([name, value]) => [name, value ?? known?.[name as keyof Bootstrap]]);
  return Object.fromEntries(entries) as Record<K | 'baseUrl', string>;
}

function bootstrapOf(options: TargetOptions): Promise<Bootstrap> {
  return readBootstrap(options.dataDir === undefined ? loadConfig().dataDir : resolve(options.dataDir));
}

/** Collects an option that may be given several times, one value each. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
