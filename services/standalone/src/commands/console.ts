import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';
import { loadConfig } from '@countersign/process';

interface Options {
  readonly dataDir?: string;
}

/** `countersign console`: prints a link that signs in once, through the running instance. */
export function register(program: Command): void {
  program
    .command('console')
    .description(
      'print a link to the console that signs in once within 15 minutes, as the first user (embedded profile)',
    )
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .addHelpText(
      'after',
      '\nEnds with 0: printed; 1: no instance runs, or its first user is not known here; 64: usage.',
    )
    .action(async ({ dataDir }: Options) => {
      const { askInstance } = await import('../operate/admin-socket.js');
      const folder = dataDir === undefined ? loadConfig().dataDir : resolve(dataDir);
      const answer = await askInstance(folder, 'consoleLink', { kind: 'once' });
      if (answer === null) {
        throw new CommandFailed(EXIT.wrong, `no instance runs on ${folder}, or its bootstrap.json is missing`);
      }
      process.stdout.write(`${answer}\n`);
    });
}
