import { join, resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { startLocalnet } from '@countersign/chain';
import { createLogger, endOnSignals, explain, loadConfig } from '@countersign/process';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';

interface Options {
  readonly port?: number;
  readonly host?: string;
  readonly dataDir?: string;
}

/** `countersign localnet`: runs the embedded Solana network alone, on the ledger of a data directory. */
export function register(program: Command): void {
  program
    .command('localnet')
    .description('run the embedded Solana network alone, until Ctrl-C')
    .option(
      '--port <n>',
      'port of the JSON-RPC, the WebSocket uses the next one; default: COUNTERSIGN_LOCALNET_PORT, or a free one',
      port,
    )
    .option(
      '--host <address>',
      'address to listen on; default: 127.0.0.1. Any client that reaches it can mint test money',
    )
    .option('--data-dir <folder>', 'data directory that keeps the ledger; default: COUNTERSIGN_DATA_DIR, or data')
    .action(async (options: Options) => {
      const config = loadConfig();
      const dataDir = options.dataDir === undefined ? config.dataDir : resolve(options.dataDir);
      process.umask(0o077);
      try {
        // The ledger has a lock of its own: an instance with SOLANA_RPC_URL may use the same folder.
        const localnet = await startLocalnet({
          dir: join(dataDir, 'localnet'),
          port: options.port ?? config.localnetPort ?? 0,
          ...(options.host === undefined ? {} : { host: options.host }),
        });
        endOnSignals(createLogger(config.logLevel), () => localnet.close());
        process.stdout.write(`Solana network at ${localnet.rpcUrl}, WebSocket at ${localnet.wsUrl}\n`);
      } catch (error) {
        throw new CommandFailed(EXIT.wrong, `the network cannot start: ${explain(error)}`);
      }
    });
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_534) throw new InvalidArgumentError('It must be a port from 0 to 65534.');
  return value;
}
