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

/** `countersign admin keys`: the keys that sign reports, of a running instance or of a stopped one's files. */
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

  command('list', 'every key, oldest first: status, validity, where its private half is').action((options: Options) =>
    run({ act: 'list' }, options),
  );
  command('create', 'make a key and publish it; it signs nothing before a rotation').action((options: Options) =>
    run({ act: 'create' }, options),
  );
  command('rotate', 'sign with another key from now on; the one that signed is retired and goes on verifying')
    .argument('[keyId]', 'a published key; default: the one that waits longest, else a new one', keyId)
    .action((id: string | undefined, options: Options) => run({ act: 'rotate', keyId: id ?? null }, options));
  command('revoke', 'nothing that the key signed verifies any more; a published key takes its place')
    .argument('<keyId>', 'a key of any status', keyId)
    .requiredOption('--reason <text>', 'why; everybody who verifies is told')
    .action((id: string, options: Options & { readonly reason: string }) =>
      run({ act: 'revoke', keyId: id, reason: options.reason }, options),
    );
}

async function run(request: SigningKeyRequest, { dataDir, json = false, stopped = false }: Options): Promise<void> {
  const { askForKeys } = await import('../operate/signing-keys.js');
  const { showKeyChange, showKeys } = await import('../operate/show-keys.js');
  const config = loadConfig();
  const place = dataDir === undefined ? config : { ...config, dataDir: resolve(dataDir) };
  const quiet = { ...place, logLevel: 'silent' as const };
  const answer = await askForKeys(quiet, createLogger('silent'), request, stopped).catch((error: unknown) => {
    const words = error instanceof Error && error.name === 'Error' ? error.message : explain(error);
    throw new CommandFailed(EXIT.wrong, `refused: ${words}`);
  });
  const text = json ? `${JSON.stringify(answer, null, 2)}\n` : showKeys(answer.keys) + showKeyChange(request, answer);
  process.stdout.write(text);
}

function keyId(text: string): string {
  if (!/^key_[0-9a-f]{16}$/.test(text)) throw new InvalidArgumentError('It must be a key id: key_ and 16 hex digits.');
  return text;
}
