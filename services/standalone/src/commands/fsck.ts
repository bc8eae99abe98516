import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { InstanceRunning, loadConfig, openDataDirectory } from '@countersign/service-kit';
import { examine } from '../fsck/fsck.js';
import { LAYOUT } from '../fsck/layout.js';
import { showReport } from '../fsck/show-report.js';
import { CommandFailed, EXIT } from './exit-codes.js';

interface Options {
  readonly dataDir?: string;
  readonly json?: boolean;
}

/** `countersign fsck`: log, stores, trees and chain of a stopped instance against each other. */
export function register(program: Command): void {
  program
    .command('fsck')
    .description('check all that a stopped instance has stored; reads only')
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nEnds with 0: clean; 1: something is wrong; 3: the instance runs; 64: usage.')
    .action(async (options: Options) => {
      const config = loadConfig();
      const dataDir = options.dataDir === undefined ? config.dataDir : resolve(options.dataDir);
      if (!existsSync(join(dataDir, LAYOUT.log)) && !existsSync(join(dataDir, 'bootstrap.json'))) {
        throw new CommandFailed(EXIT.usage, `${dataDir} is no data directory: name one with --data-dir`);
      }
      const lock = await held(dataDir);
      try {
        const bar = new SingleBar({ format: '{bar} {value}/{total} events, {duration} s', clearOnComplete: true });
        const examination = await examine(dataDir, config.solanaRpcUrls.length > 0, (done, total) => {
          if (!bar.isActive) bar.start(total, done);
          bar.update(done);
        });
        bar.stop();
        const { report, windows } = examination;
        process.stdout.write(
          options.json === true
            ? `${JSON.stringify({ count: report.count, windows, checks: report.checks }, null, 2)}\n`
            : showReport(dataDir, examination),
        );
        process.exitCode = report.count === 0 ? EXIT.holds : EXIT.wrong;
      } finally {
        lock.release();
      }
    });
}

async function held(dataDir: string): Promise<{ release(): void }> {
  try {
    return await openDataDirectory(dataDir);
  } catch (error) {
    if (error instanceof InstanceRunning) throw new CommandFailed(EXIT.inUse, `${error.message}`);
    throw error;
  }
}
