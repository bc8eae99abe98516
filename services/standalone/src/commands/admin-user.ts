import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createLogger, explain, loadConfig } from '@countersign/process';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';

interface Options {
  readonly dataDir?: string;
  readonly resetSecondFactor?: boolean;
}

/** `countersign admin user`: a way in for a user whose password is lost. */
export function registerUser(admin: Command): void {
  admin
    .command('user')
    .description('print a link by which a user sets a new password, for example the only admin of an account')
    .argument('<email>', 'e-mail address of the user')
    .option('--reset-second-factor', 'using the link removes the second factor of the user as well')
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .addHelpText(
      'after',
      '\nThe link works once, within a day, while the instance runs, and replaces the one before. A person who has it takes the' +
        '\nplace of the user; where the user has a second factor, that is still asked for, unless the link resets it. Nothing' +
        '\nchanges until the link is used. Ends with 0: printed; 1: no such user, or refused; 64: usage.',
    )
    .exitOverride()
    .action(async (email: string, { dataDir, resetSecondFactor = false }: Options) => {
      const { passwordLink } = await import('../operate/password-link.js');
      const config = loadConfig();
      const located = { ...config, ...(dataDir === undefined ? {} : { dataDir: resolve(dataDir) }) };
      const quiet = { ...located, logLevel: 'silent' as const };
      const request = { email, resetsSecondFactor: resetSecondFactor };
      const made = await passwordLink(quiet, createLogger('silent'), request).catch((error: unknown) => {
        throw new CommandFailed(EXIT.wrong, `refused: ${explain(error)}`);
      });
      if (made === null) {
        const where = config.profile === 'distributed' ? 'this installation' : located.dataDir;
        throw new CommandFailed(EXIT.wrong, `no user of ${where} has the address ${email}`);
      }
      process.stdout.write(`${made.link}\n`);
      process.stderr.write(`It works once, until ${made.expiresAt}.\n`);
    });
}
