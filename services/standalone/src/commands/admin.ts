import { resolve } from 'node:path';
import { messageOf } from '@countersign/async';
import { InvalidArgumentError, type Command } from 'commander';
import { createLogger, explain, loadConfig } from '@countersign/process';
import type { PlanChange } from '@countersign/service-kit';
import { registerBackup } from './admin-backup.js';
import { registerDrill } from './admin-drill.js';
import { registerKeys } from './admin-keys.js';
import { registerUser } from './admin-user.js';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';
import { registerProveAbsence } from './prove-absence.js';

interface Options {
  readonly dataDir?: string;
  readonly actionCap?: number;
  readonly expiresAt?: string;
}

/** `countersign admin`: operations that the API does not offer. */
export function register(program: Command): void {
  const admin = program.command('admin').description('operate an instance on this machine, running or stopped');
  registerBootstrap(admin);
  registerBackup(admin);
  registerDrill(admin);
  registerRestore(admin);
  registerKeys(admin);
  registerUser(admin);
  registerProveAbsence(admin);
  admin
    .command('set-plan')
    .description('put an account on a plan; options that are not given take the defaults of the plan')
    .argument('<accountId>', 'account, as accountId in bootstrap.json or GET /v1/account')
    .argument('<plan>', 'sandbox, core, scale or enterprise')
    .option('--action-cap <n>', 'checks that count before 402 (sandbox) or 429 (paid, a calendar month)', wholeNumber)
    .option('--expires-at <iso>', 'end of a sandbox, as 2026-01-31T12:00:00.000Z')
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .addHelpText('after', '\nEnds with 0: in force; 1: unknown account or plan, or refused; 64: usage.')
    .exitOverride()
    .action(async (accountId: string, plan: string, { dataDir, ...agreed }: Options) => {
      const { setPlan } = await import('../operate/set-plan.js');
      const config = loadConfig();
      const located = dataDir === undefined ? config : { ...config, dataDir: resolve(dataDir) };
      // The plan's name is judged by the service that owns plans.
      const change = { accountId, plan, ...agreed } as PlanChange;
      const quiet = { ...located, logLevel: 'silent' as const };
      const result = await setPlan(quiet, createLogger('silent'), change).catch((error: unknown) => {
        throw new CommandFailed(EXIT.wrong, `refused: ${messageOf(error)}`);
      });
      if (result === 'unknown-account') {
        throw new CommandFailed(EXIT.wrong, `there is no account ${accountId} in ${located.dataDir}`);
      }
      process.stdout.write(`account ${accountId} is on the plan ${plan}\n`);
    });
}

/** Creates the first account of an installation whose services run in processes of their own. */
function registerBootstrap(admin: Command): void {
  admin
    .command('bootstrap')
    .description('distributed: make the first account, its admin, an API key and an agent; prints what a client needs')
    .option('--data-dir <folder>', 'keeps what is printed; default: COUNTERSIGN_DATA_DIR, or data')
    .addHelpText('after', '\nA repetition on the same folder prints the same. Ends with 0, else with 1 and the reason.')
    .exitOverride()
    .action(async ({ dataDir }: Pick<Options, 'dataDir'>) => {
      const { bootstrap } = await import('../operate/bootstrap.js');
      const config = loadConfig();
      const located = dataDir === undefined ? config : { ...config, dataDir: resolve(dataDir) };
      const text = await bootstrap(located).catch((error: unknown) => {
        throw new CommandFailed(EXIT.wrong, `refused: ${explain(error)}`);
      });
      process.stdout.write(text);
    });
}

/** Recovers after MongoDB was restored from a copy that is older than what was published to Kafka. */
function registerRestore(admin: Command): void {
  admin
    .command('restore')
    .description(
      'distributed: after MongoDB was restored from a copy, with all services stopped: take missing data from Kafka',
    )
    .option('--dry-run', 'report what would be taken, and change nothing')
    .option('--data-dir <folder>', 'holds anchoring/authority.json; default: COUNTERSIGN_DATA_DIR, or data')
    .addHelpText(
      'after',
      '\nA repetition continues where one ended. Ends with 0: all is taken; 2: as well, and something that no topic holds is' +
        '\nknown to be lost; 1: refused, with the reason; 64: usage.',
    )
    .exitOverride()
    .action(async ({ dryRun = false, dataDir }: { readonly dryRun?: boolean; readonly dataDir?: string }) => {
      const { restore } = await import('../operate/restore.js');
      const { showRestored } = await import('../operate/show-restored.js');
      const config = loadConfig();
      const located = dataDir === undefined ? config : { ...config, dataDir: resolve(dataDir) };
      const progress = (what: string): void => void process.stderr.write(`${what}\n`);
      const restored = await restore(located, createLogger('silent'), { dryRun, progress }).catch((error: unknown) => {
        throw new CommandFailed(EXIT.wrong, `refused: ${explain(error)}`);
      });
      process.stdout.write(showRestored(restored, dryRun));
      process.exitCode = restored.some(({ lost }) => lost.length > 0) ? EXIT.unchecked : EXIT.holds;
    });
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(text);
}
