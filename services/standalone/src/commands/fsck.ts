import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { createLogger, InstanceRunning, loadConfig, openDataDirectory, type Config } from '@countersign/process';
import {
  examine,
  examineDistributed,
  LAYOUT,
  NotReadable,
  rebuildDistributed,
  rebuildStores,
  ServiceRuns,
  showRebuilt,
  showReport,
} from '@countersign/fsck';
import type { Examination, Progress, Rebuilt } from '@countersign/fsck';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';

interface Options {
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly settled?: boolean;
  readonly rebuild?: boolean;
}

/** `countersign fsck`: compares log, stores, trees and chain of an installation. */
export function register(program: Command): void {
  program
    .command('fsck')
    .description(
      'check all stored data of a stopped instance, or of a distributed installation; read-only without --rebuild',
    )
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .option('--settled', 'treat a lag behind the log as a finding: everything should have been processed')
    .option('--rebuild', 'rebuild damaged projections from the log, and check again; their services must be stopped')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nEnds with 0: clean; 1: something is wrong; 3: the instance runs, or a service whose store is to be rebuilt, or a server cannot be read; 64: usage.',
    )
    .action(async (options: Options) => {
      const config = loadConfig();
      const dataDir = options.dataDir === undefined ? config.dataDir : resolve(options.dataDir);
      const bar = new SingleBar({ format: '{bar} {value}/{total} events, {duration} s', clearOnComplete: true });
      const progress: Progress = (done, total) => {
        if (!bar.isActive) bar.start(total, done);
        bar.update(done);
      };
      const distributed = config.profile === 'distributed';
      const { examination, rebuilt } = await (distributed ? onServers : inFolder)(
        { ...config, dataDir },
        options.rebuild === true,
        progress,
      );
      bar.stop();
      const { report, windows } = examination;
      if (options.settled === true) report.settled();
      process.stdout.write(
        options.json === true
          ? `${JSON.stringify({ count: report.count, windows, checks: report.checks, ...(rebuilt === null ? {} : { rebuilt }) }, null, 2)}\n`
          : showRebuilt(rebuilt) + showReport(distributed ? 'distributed profile' : dataDir, examination),
      );
      process.exitCode = report.count === 0 ? EXIT.holds : EXIT.wrong;
    });
}

interface Examined {
  readonly examination: Examination;
  /** `null`: a rebuild was not requested. */
  readonly rebuilt: readonly Rebuilt[] | null;
}

async function inFolder(config: Config, rebuild: boolean, progress: Progress): Promise<Examined> {
  const { dataDir } = config;
  const chainIsElsewhere = config.solanaRpcUrls.length > 0;
  if (!existsSync(join(dataDir, LAYOUT.log)) && !existsSync(join(dataDir, 'bootstrap.json'))) {
    throw new CommandFailed(EXIT.usage, `${dataDir} is no data directory: name one with --data-dir`);
  }
  const lock = await held(dataDir);
  try {
    const examination = await examine(dataDir, chainIsElsewhere, progress);
    if (!rebuild || examination.report.count === 0) return { examination, rebuilt: rebuild ? [] : null };
    const rebuilt = await rebuildStores(dataDir, examination.report, {
      config,
      ...reportingProgress(),
    });
    if (rebuilt.every(({ refused }) => refused !== null)) return { examination, rebuilt };
    return { examination: await examine(dataDir, chainIsElsewhere, progress), rebuilt };
  } finally {
    lock.release();
  }
}

async function onServers(config: Config, rebuild: boolean, progress: Progress): Promise<Examined> {
  try {
    if (!rebuild) return { examination: await examineDistributed(config, progress), rebuilt: null };
    const examination = await examineDistributed(config, progress);
    if (examination.report.count === 0) return { examination, rebuilt: [] };
    const rebuilt = await rebuildDistributed(config, examination.report, reportingProgress());
    if (rebuilt.every(({ refused }) => refused !== null)) return { examination, rebuilt };
    return { examination: await examineDistributed(config, progress), rebuilt };
  } catch (error) {
    if (error instanceof NotReadable || error instanceof ServiceRuns)
      throw new CommandFailed(EXIT.inUse, error.message);
    throw error;
  }
}

function reportingProgress(): { readonly log: Logger; readonly progress: (what: string) => void } {
  const said = (what: string): void => void process.stderr.write(`${what}\n`);
  return { log: createLogger('warn'), progress: process.stderr.isTTY ? said : () => undefined };
}

async function held(dataDir: string): Promise<{ release(): void }> {
  try {
    return await openDataDirectory(dataDir);
  } catch (error) {
    if (error instanceof InstanceRunning) throw new CommandFailed(EXIT.inUse, `${error.message}`);
    throw error;
  }
}
