import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { isInstant, isUuid, parseIsoDuration, type VerificationResult } from '@countersign/evidence';
import { explain, loadConfig, type Config } from '@countersign/process';
import type { AbsenceWanted, WindowName } from '../operate/prove-absence.js';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';

/** Proves that an agent had no event in a window: an operator command, since the proof shows two leaves of other agents. */
export function registerProveAbsence(admin: Command): void {
  admin
    .command('prove-absence')
    .description('print the proof that an agent had no event in an anchored window; countersign verify checks it')
    .argument('[agentId]', 'the agent', agent)
    .argument(
      '[window...]',
      'as its memo names it: 2026-03-02T10:00:00.000Z/PT5M; of several a list is printed',
      windows,
    )
    .option(
      '--from <iso>',
      'instead of windows: all windows from this time on in which the agent had no event, as a list',
      instant,
    )
    .option('--to <iso>', 'with --from: windows that begin before this time; default: now', instant)
    .option('--open <file>', 'instead: all that the result of countersign verify --json leaves open, as a list')
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .addHelpText(
      'after',
      '\nThe proof shows the hashed ids and the counts of the two adjacent agents, of any account.' +
        '\nReads the store of anchoring, of an instance that runs or does not. Ends with 0: proven; 1: the agent had events,' +
        '\nor there is no such anchored window; 64: usage.',
    )
    .exitOverride()
    .action(async (agentId: string | undefined, names: readonly WindowName[], options: Options) => {
      const { proveAbsence } = await import('../operate/prove-absence.js');
      const { dataDir, open } = options;
      const config = loadConfig();
      const located = dataDir === undefined ? config : { ...config, dataDir: resolve(dataDir) };
      if (options.from !== undefined || options.to !== undefined) {
        await printRange(located, agentId, names, options);
        return;
      }
      const wanted = open === undefined ? named(agentId, names) : await readOpen(open);
      const answers = await proveAbsence(located, wanted).catch((error: unknown) => {
        throw new CommandFailed(EXIT.wrong, `refused: ${explain(error)}`);
      });
      const refused = answers.filter((answer) => typeof answer === 'string');
      if (refused.length > 0) throw new CommandFailed(EXIT.wrong, refused.slice(0, SHOWN).join('\n'));
      const list = open !== undefined || names.length > 1;
      process.stdout.write(`${JSON.stringify(list ? answers : answers[0], null, 2)}\n`);
    });
}

/** Prints the proofs of a range. @throws CommandFailed */
async function printRange(
  config: Config,
  agentId: string | undefined,
  names: readonly WindowName[],
  { from, to = Date.now(), open }: Options,
): Promise<void> {
  const { proveAbsenceBetween } = await import('../operate/prove-absence.js');
  if (agentId === undefined || from === undefined || names.length > 0 || open !== undefined || from >= to) {
    throw new CommandFailed(EXIT.usage, '--from takes an agent, no windows, and --to after it or none');
  }
  const range = { fromMs: from, toMs: to };
  const { proofs, present, refused } = await proveAbsenceBetween(config, agentId, range).catch((error: unknown) => {
    throw new CommandFailed(EXIT.wrong, `refused: ${explain(error)}`);
  });
  if (refused.length > 0) throw new CommandFailed(EXIT.wrong, refused.slice(0, SHOWN).join('\n'));
  if (proofs.length === 0) {
    throw new CommandFailed(
      EXIT.wrong,
      `nothing to prove: the agent had events in all ${present} closed windows of the range`,
    );
  }
  process.stdout.write(`${JSON.stringify(proofs, null, 2)}\n`);
  process.stderr.write(`${proofs.length} windows proven; in ${present} more the agent had events\n`);
}

interface Options {
  readonly dataDir?: string;
  /** ms */
  readonly from?: number;
  readonly to?: number;
  readonly open?: string;
}

const SHOWN = 20;

function named(agentId: string | undefined, names: readonly WindowName[]): readonly AbsenceWanted[] {
  if (agentId === undefined || names.length === 0) {
    throw new CommandFailed(EXIT.usage, 'name an agent and a window, or a file by --open');
  }
  return names.map((window) => ({ agentId, window }));
}

/** Reads the open windows from a saved result of `countersign verify --json`. @throws CommandFailed 64 if it is none */
async function readOpen(file: string): Promise<readonly AbsenceWanted[]> {
  const text = await readFile(file, 'utf8').catch(() => null);
  try {
    const { result } = JSON.parse(text ?? '') as { readonly result: VerificationResult };
    const pairs = result.unsettled.flatMap(({ unlisted = [] }) => unlisted);
    return pairs.map((pair) => ({ agentId: agent(pair.agentId), window: window(pair.window) }));
  } catch {
    throw new CommandFailed(EXIT.usage, `${file} is not a result of countersign verify --json`);
  }
}

/** Collects a repeated argument, whose values Commander passes one by one. */
function windows(text: string, before: readonly WindowName[] = []): readonly WindowName[] {
  return [...before, window(text)];
}

function instant(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2026-03-01T00:00:00Z.');
  return ms;
}

function agent(text: string): string {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw new InvalidArgumentError('It must be the id of an agent: a UUID.');
  return id;
}

function window(text: string): WindowName {
  const [start = '', duration = ''] = text.split('/');
  const durationSeconds = parseIsoDuration(duration);
  if (!isInstant(start) || durationSeconds === null || text.split('/').length !== 2) {
    throw new InvalidArgumentError('It must be as 2026-03-02T10:00:00.000Z/PT5M.');
  }
  return { text, startMs: Date.parse(start), durationSeconds };
}
