import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { InstanceRunning, loadConfig, openDataDirectory, type Config } from '@countersign/service-kit';
import type { Progress } from '../fsck/compare-events.js';
import { examine, type Examination } from '../fsck/fsck.js';
import { LAYOUT } from '../fsck/layout.js';
import { showReport } from '../fsck/show-report.js';
import { CommandFailed, EXIT } from './exit-codes.js';

interface Options {
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly settled?: boolean;
}

/** `countersign fsck`: log, stores, trees and chain of an installation against each other. */
export function register(program: Command): void {
  program
    .command('fsck')
    .description('check all that a stopped instance, or a distributed installation, has stored; reads only')
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .option('--settled', 'what lags behind the log is a finding: everything was to have been taken')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nEnds with 0: clean; 1: something is wrong; 3: the instance runs, or a server cannot be read; 64: usage.',
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
      const examination = distributed
        ? await examineServers({ ...config, dataDir }, progress)
        : await examineFolder(dataDir, config.solanaRpcUrls.length > 0, progress);
      bar.stop();
      const { report, windows } = examination;
      if (options.settled === true) report.settled();
      process.stdout.write(
        options.json === true
          ? `${JSON.stringify({ count: report.count, windows, checks: report.checks }, null, 2)}\n`
          : showReport(distributed ? 'distributed profile' : dataDir, examination),
      );
      process.exitCode = report.count === 0 ? EXIT.holds : EXIT.wrong;
    });
}

async function examineFolder(dataDir: string, chainIsElsewhere: boolean, progress: Progress): Promise<Examination> {
  if (!existsSync(join(dataDir, LAYOUT.log)) && !existsSync(join(dataDir, 'bootstrap.json'))) {
    throw new CommandFailed(EXIT.usage, `${dataDir} is no data directory: name one with --data-dir`);
  }
  const lock = await held(dataDir);
  try {
    return await examine(dataDir, chainIsElsewhere, progress);
  } finally {
    lock.release();
  }
}

async function examineServers(config: Config, progress: Progress): Promise<Examination> {
  const { examineDistributed, NotReadable } = await import('../fsck/distributed/fsck-distributed.js');
  try {
    return await examineDistributed(config, progress);
  } catch (error) {
    if (error instanceof NotReadable) throw new CommandFailed(EXIT.inUse, error.message);
    throw error;
  }
}

async function held(dataDir: string): Promise<{ release(): void }> {
  try {
    return await openDataDirectory(dataDir);
  } catch (error) {
    if (error instanceof InstanceRunning) throw new CommandFailed(EXIT.inUse, `${error.message}`);
    throw error;
  }
}
