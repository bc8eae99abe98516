import { readFile } from 'node:fs/promises';
import { messageOf } from '@countersign/async';
import type { Command } from 'commander';
import { Api } from '../api-client/api.js';
import { loginOf, withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { targetOf, withTarget, type TargetOptions } from '../api-client/target-options.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

interface Options extends TargetOptions, LoginOptions {}

/** `countersign erase`: erases the content of listed events, over the API, as an admin. */
export function register(program: Command): void {
  const command = program
    .command('erase')
    .description('erase the content of listed events; their leaves and proofs stay')
    .argument('<file>', 'event ids, one per line; lines that begin with # are ignored')
    .addHelpText(
      'after',
      '\nA repetition changes nothing. Ends with 0: all are erased; 1: some are not, named; 64: usage.',
    );
  withTarget(withLogin(command)).action(async (file: string, options: Options) => {
    const { eraseEvents, readEventIds } = await import('../erase/erase-events.js');
    let eventIds: readonly string[];
    try {
      eventIds = readEventIds(await readFile(file, 'utf8'));
    } catch (error) {
      throw new CommandFailed(EXIT.usage, `${file}: ${messageOf(error)}`);
    }
    const { baseUrl, email, password } = await targetOf(options, await loginOf(options));
    const api = new Api(baseUrl);
    const session = await api.login(email, password);
    const { erased, refused } = await eraseEvents(eventIds, (path) => api.send('DELETE', path, session));
    api.close();
    process.stdout.write(`${erased} of ${eventIds.length} events have no content any more\n`);
    if (refused.length > 0) throw new CommandFailed(EXIT.wrong, refused.join('\n'));
  });
}
