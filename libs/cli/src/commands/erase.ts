import { readFile } from 'node:fs/promises';
import { messageOf } from '@countersign/async';
import type { Command } from 'commander';
import { Api } from '../api-client/api.js';
import { loginOf, withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { targetOf, withTarget, type TargetOptions } from '../api-client/target-options.js';
import { visible } from '../approvals/visible.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

interface Options extends TargetOptions, LoginOptions {
  readonly reason?: string;
  readonly preview?: true;
}

/** `countersign erase`: erases the content of listed events, over the API, as an admin. */
export function register(program: Command): void {
  const command = program
    .command('erase')
    .description('erase the content of listed events; their leaves and proofs stay')
    .argument('<file>', 'event ids, one per line; lines that begin with # are ignored')
    .option('--reason <text>', 'why, such as the number of a request: committed and shown with each erasure')
    .option('--preview', 'only list the stored reports that the erasures withdraw')
    .addHelpText(
      'after',
      '\nA repetition changes nothing. Ends with 0: all are erased; 1: some are not, named; 64: usage.',
    );
  withTarget(withLogin(command)).action(async (file: string, options: Options) => {
    const { eraseEvents, readEventIds, withdrawnBy } = await import('../erase/erase-events.js');
    let eventIds: readonly string[];
    try {
      eventIds = readEventIds(await readFile(file, 'utf8'));
    } catch (error) {
      throw new CommandFailed(EXIT.usage, `${file}: ${messageOf(error)}`);
    }
    const { baseUrl, email, password } = await targetOf(options, await loginOf(options));
    const api = new Api(baseUrl);
    const session = await api.login(email, password);
    if (options.preview === true) {
      const { reports, refused } = await withdrawnBy(eventIds, (path) => api.send('GET', path, session));
      api.close();
      for (const { id, createdAt, title } of reports)
        process.stdout.write(`${[id, createdAt, ...(title === null ? [] : [visible(title)])].join('  ')}\n`);
      process.stdout.write(`${reports.length} stored reports would be withdrawn; nothing was erased\n`);
      if (refused.length > 0) throw new CommandFailed(EXIT.wrong, refused.join('\n'));
      return;
    }
    const remove = (path: string): ReturnType<Api['send']> => api.send('DELETE', path, session);
    const { erased, refused } = await eraseEvents(eventIds, remove, options.reason);
    api.close();
    process.stdout.write(`${erased} of ${eventIds.length} events have no content any more\n`);
    if (refused.length > 0) throw new CommandFailed(EXIT.wrong, refused.join('\n'));
  });
}
