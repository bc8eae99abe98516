import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { SAMPLE_POPULATIONS, type SamplePopulation } from '@countersign/evidence';
import { collect } from '../api-client/target-options.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

interface Options {
  readonly size: number;
  readonly population: SamplePopulation;
  readonly notBefore?: string;
  readonly rpc?: readonly string[];
  readonly authority?: readonly string[];
  readonly key?: readonly string[];
  readonly reportTx?: string;
  readonly slot?: number;
  readonly blockHash?: string;
  readonly check?: string;
  readonly out?: string;
  readonly wait: number;
  readonly json?: boolean;
}

/** `countersign sample PACKAGE`: draws events for an auditor by a block hash that could not be chosen in advance. */
export function register(program: Command): void {
  program
    .command('sample')
    .description('draw events of a signed package by the hash of a later Solana block, or check such a sample')
    .argument('<package>', 'the signed package (JSON), or the PDF that carries it')
    .option('--size <n>', 'events to draw', whole(1), 25)
    .addOption(new Option('--population <name>', 'what is drawn from').choices(SAMPLE_POPULATIONS).default('events'))
    .option('--not-before <iso>', 'no block before this time: name one to come, once you have the package', instant)
    .option('--rpc <url>', 'Solana RPC that you trust, repeatable', collect)
    .option('--authority <address>', 'address of the anchoring authority that you trust, repeatable', collect)
    .option('--key <pem>', 'public key that you trust (PEM file), repeatable', collect)
    .option('--report-tx <signature>', "the report's transaction, for a package that was issued before it was final")
    .option('--slot <n>', 'offline: slot of the block', whole(0))
    .option('--block-hash <base58>', 'offline: hash of the block')
    .option('--check <file>', 'say whether this sample is the one')
    .option('--out <file>', 'save the sample (JSON), for --check')
    .option('--wait <seconds>', 'for a block that is not there yet', whole(0), 60)
    .option('--json', 'print the whole result as JSON')
    .addHelpText(
      'after',
      '\nEnds with 0: drawn, or checked, with the block that the chain has; 1: the package or the pages of its PDF do not hold, the sample is not the one, or another content was anchored; 2: the block was not asked for, is not there yet, or the nodes cannot say, neither --key nor --authority was given, or no signature covers the pages of the PDF; 64: usage.',
    )
    .action(async (file: string, options: Options) => {
      const { takeSample } = await import('../sample/take-sample.js');
      const { sampleText } = await import('../sample/describe-sample.js');
      const report = await takeSample({
        file,
        keys: options.key ?? [],
        request: { size: options.size, population: options.population, notBefore: options.notBefore ?? null },
        rpcUrls: options.rpc ?? [],
        authorities: options.authority ?? [],
        reportTx: options.reportTx ?? null,
        block: blockOf(options),
        check: options.check ?? null,
        waitMs: options.wait * 1000,
      });
      process.stdout.write(options.json === true ? `${JSON.stringify(report, null, 2)}\n` : sampleText(file, report));
      process.exitCode = report.exitCode;
      if (options.out === undefined || report.sample === null) return;
      await writeFile(options.out, `${JSON.stringify(report.sample, null, 2)}\n`).catch(
        (error: NodeJS.ErrnoException) => {
          throw new CommandFailed(EXIT.wrong, `cannot write ${options.out} (${error.code}): name another with --out`);
        },
      );
    });
}

function blockOf({ slot, blockHash }: Options): { slot: number; blockhash: string; blockTime: null } | null {
  if (slot === undefined && blockHash === undefined) return null;
  if (slot === undefined || blockHash === undefined)
    throw new CommandFailed(EXIT.usage, '--slot and --block-hash belong together');
  return { slot, blockhash: blockHash, blockTime: null };
}

function whole(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
      throw new InvalidArgumentError(`a whole number from ${least}`);
    return value;
  };
}

function instant(text: string): string {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('a time such as 2026-03-01T00:00:00Z');
  return new Date(ms).toISOString();
}
