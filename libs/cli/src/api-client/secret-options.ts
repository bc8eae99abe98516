import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { clientEnvironment } from '@countersign/process/client-environment';
import { CommandFailed, EXIT } from '../exit-codes.js';

export interface LoginOptions {
  readonly email?: string;
  readonly password?: string;
  readonly passwordFile?: string;
}

/** Options of the commands that log in as a person. */
export function withLogin(command: Command): Command {
  return command
    .option('--email <address>', 'who logs in; default: as bootstrap.json says')
    .option('--password-file <file>', 'file that holds the password; default: COUNTERSIGN_PASSWORD, or bootstrap.json')
    .option('--password <text>', 'password; every user of the machine may read it: prefer --password-file');
}

/** The login from the options and the environment, as far as given. @throws CommandFailed 64 */
export async function loginOf({
  email,
  password,
  passwordFile,
}: LoginOptions): Promise<Readonly<Record<'email' | 'password', string | undefined>>> {
  if (password !== undefined) {
    process.stderr.write(
      'warning: --password shows in the list of processes: use --password-file FILE, or COUNTERSIGN_PASSWORD\n',
    );
    return { email, password };
  }
  return { email, password: passwordFile === undefined ? clientEnvironment().password : await secretIn(passwordFile) };
}

/** The API key that a file holds, else the environment. @throws CommandFailed 64 */
export async function apiKeyOf(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? clientEnvironment().apiKey : secretIn(file);
}

/** Without the line break that ends the file. */
async function secretIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(EXIT.usage, `cannot read ${file} (${error.code})`);
  });
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new CommandFailed(EXIT.usage, `${file} is empty`);
  return secret;
}
