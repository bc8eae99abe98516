import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { createLogger, explain, loadConfig } from '@countersign/process';
import type { SigningKeyRequest } from '../operate/signing-key-request.js';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';

interface Options {
  readonly dataDir?: string;
  readonly json?: boolean;
  readonly stopped?: boolean;
}

const ENDS = '\nEnds with 0: done; 1: refused, with the reason; 64: usage.';

/** `countersign admin keys`: manages the keys that sign reports, through a running instance or on the files of a stopped one. */
export function registerKeys(admin: Command): void {
  const keys = admin.command('keys').description('the keys that sign reports: list, create, rotate, revoke');
  const command = (usage: string, description: string): Command =>
    keys
      .command(usage)
      .description(description)
      .option('--json', 'print the keys as JSON')
      .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
      .option('--stopped', 'distributed: no instance of reporting runs or starts: work on its folder of keys')
      .addHelpText('after', ENDS)
      .exitOverride();

  command('list', 'list all keys, oldest first: status, validity, location of the private half').action(
    (options: Options) => run({ act: 'list' }, options),
  );
  command('create', 'create and publish a key; it signs nothing before a rotation').action((options: Options) =>
    run({ act: 'create' }, options),
  );
  command('rotate', 'sign with another key from now on; the active one is retired and still verifies')
    .argument('[keyId]', 'a published key; default: the oldest one, else a new one', keyId)
    .action((id: string | undefined, options: Options) => run({ act: 'rotate', keyId: id ?? null }, options));
  command('revoke', 'invalidate everything that the key signed; a published key replaces it')
    .argument('<keyId>', 'a key of any status', keyId)
    .requiredOption('--reason <text>', 'the reason; shown to everyone who verifies')
    .action((id: string, options: Options & { readonly reason: string }) =>
      run({ act: 'revoke', keyId: id, reason: options.reason }, options),
    );
}

async function run(request: SigningKeyRequest, { dataDir, json = false, stopped = false }: Options): Promise<void> {
  const { askForKeys } = await import('../operate/signing-keys.js');
  const { showKeyChange, showKeys } = await import('../operate/show-keys.js');
  const config = loadConfig();
  const located = dataDir === undefined ? config : { ...config, dataDir: resolve(dataDir) };
  const quiet = { ...located, logLevel: 'silent' as const };
  const answer = await askForKeys(quiet, createLogger('silent'), request, stopped).catch((error: unknown) => {
    const reason = error instanceof Error && error.name === 'Error' ? error.message : explain(error);
    throw new CommandFailed(EXIT.wrong, `refused: ${reason}`);
  });
  const text = json ? `${JSON.stringify(answer, null, 2)}\n` : showKeys(answer.keys) + showKeyChange(request, answer);
  process.stdout.write(text);
}

function keyId(text: string): string {
  if (!/^key_[0-9a-f]{16}$/.test(text)) throw new InvalidArgumentError('It must be a key id: key_ and 16 hex digits.');
  return text;
}
