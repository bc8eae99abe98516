import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { createLogger, InstanceRunning, loadConfig, openDataDirectory, type Config } from '@countersign/service-kit';
import type { Progress } from '../fsck/compare-events.js';
import { examine, type Examination } from '../fsck/fsck.js';
import { LAYOUT } from '../fsck/layout.js';
import type { Rebuilt } from '../fsck/rebuild/rebuild.js';
import { showRebuilt, showReport } from '../fsck/show-report.js';
import { CommandFailed, EXIT } from './exit-codes.js';

interface Options {
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly settled?: boolean;
  readonly rebuild?: boolean;
}

/** `countersign fsck`: log, stores, trees and chain of an installation against each other. */
export function register(program: Command): void {
  program
    .command('fsck')
    .description(
      'check all that a stopped instance, or a distributed installation, has stored; only reads without --rebuild',
    )
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .option('--settled', 'what lags behind the log is a finding: everything was to have been taken')
    .option('--rebuild', 'embedded profile: make damaged projections anew from the log, and check again')
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
      if (distributed && options.rebuild === true) throw new CommandFailed(EXIT.usage, ELSEWHERE);
      const { examination, rebuilt } = distributed
        ? { examination: await examineServers({ ...config, dataDir }, progress), rebuilt: null }
        : await inFolder({ ...config, dataDir }, options.rebuild === true, progress);
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

const ELSEWHERE =
  'the distributed profile keeps its log apart from its stores: stop the service, drop its collections and start it, and ' +
  'it follows the log anew (audit-log, verification); countersign admin restore does it for anchoring and policy';

interface InFolder {
  readonly examination: Examination;
  /** `null`: nothing was to be rebuilt. */
  readonly rebuilt: readonly Rebuilt[] | null;
}

async function inFolder(config: Config, rebuild: boolean, progress: Progress): Promise<InFolder> {
  const { dataDir } = config;
  const chainIsElsewhere = config.solanaRpcUrls.length > 0;
  if (!existsSync(join(dataDir, LAYOUT.log)) && !existsSync(join(dataDir, 'bootstrap.json'))) {
    throw new CommandFailed(EXIT.usage, `${dataDir} is no data directory: name one with --data-dir`);
  }
  const lock = await held(dataDir);
  try {
    const examination = await examine(dataDir, chainIsElsewhere, progress);
    if (!rebuild || examination.report.count === 0) return { examination, rebuilt: rebuild ? [] : null };
    const { rebuildStores } = await import('../fsck/rebuild/rebuild.js');
    const log = createLogger('warn');
    const said = (what: string): void => void process.stderr.write(`${what}\n`);
    const rebuilt = await rebuildStores(dataDir, examination.report, {
      config,
      log,
      progress: process.stderr.isTTY ? said : () => undefined,
    });
    if (rebuilt.every(({ refused }) => refused !== null)) return { examination, rebuilt };
    return { examination: await examine(dataDir, chainIsElsewhere, progress), rebuilt };
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
