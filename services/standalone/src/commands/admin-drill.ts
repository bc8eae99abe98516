import { resolve } from 'node:path';
import { messageOf } from '@countersign/async';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { explain, loadConfig } from '@countersign/process';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';
import type { Drill } from '../operate/restore-drill.js';

interface Options {
  readonly workDir?: string;
  readonly json?: boolean;
}

/** `countersign admin restore-drill`: shows that a backup can be restored, how long that takes, and how old its state is. */
export function registerDrill(admin: Command): void {
  admin
    .command('restore-drill')
    .description('embedded: restore a backup to a temporary folder, check it, start an instance on it, verify a report')
    .argument('<dir>', 'backup, as admin backup wrote it; it is only read')
    .option('--work-dir <folder>', 'where the temporary folder is created; default: the one of the system')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nThe instance listens on this machine alone, on a free port; it sends no alert and no mail, and submits nothing to a chain' +
        '\noutside the backup. Where a passphrase protects the signing keys, it has to be set. Ends with 0: the backup can be' +
        '\nrestored; 1: it cannot, with the reason; 64: usage.',
    )
    .exitOverride()
    .action(async (dir: string, { workDir, json = false }: Options) => {
      const { drill } = await import('../operate/restore-drill.js');
      const { showDrill } = await import('../operate/show-drill.js');
      const config = loadConfig();
      process.umask(0o077);
      const backup = resolve(dir);
      const bar = new SingleBar({ format: '{bar} {percentage} %, {duration} s', clearOnComplete: true });
      const result = await drill(config, backup, {
        workFolder: workDir === undefined ? null : resolve(workDir),
        progress: (_step, done, total) => {
          if (!bar.isActive) bar.start(total, done);
          bar.setTotal(total);
          bar.update(done);
        },
      })
        .catch((error: unknown) => {
          const isOurs = error instanceof Error && ['Error', 'NoBackup'].includes(error.name);
          throw new CommandFailed(EXIT.wrong, `failed: ${isOurs ? messageOf(error) : explain(error)}`);
        })
        .finally(() => bar.stop());
      process.stdout.write(json ? asJson(result) : showDrill(backup, result, Date.now()));
      process.exitCode = result.problems.length === 0 ? EXIT.holds : EXIT.wrong;
    });
}

function asJson({ manifest, examination, ...rest }: Drill): string {
  const { takenAt, newestEventAt } = manifest;
  const windows = examination?.windows ?? null;
  return `${JSON.stringify({ takenAt, newestEventAt, ...rest, windows }, null, 2)}\n`;
}
