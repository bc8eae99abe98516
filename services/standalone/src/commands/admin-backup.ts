import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import type { BackupDone, BackupStep } from '@countersign/fsck';
import { explain, loadConfig } from '@countersign/process';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';

interface Options {
  readonly dataDir?: string;
  readonly json?: boolean;
}

const STEPS: Readonly<Record<BackupStep, readonly [verb: string, unit: string, size: number]>> = {
  copy: ['copying ', 'MiB', 1024 * 1024],
  check: ['checking', 'events', 1],
  hash: ['hashing ', 'MiB', 1024 * 1024],
};

/** `countersign admin backup`: a checked copy of the data directory, also while an instance runs on it. */
export function registerBackup(admin: Command): void {
  admin
    .command('backup')
    .description('embedded: copy the data directory to a new folder, also while the instance runs, and check the copy')
    .argument('<dir>', 'folder that does not exist, outside the data directory; the folder above it exists')
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nAll databases and files are copied as of one moment, while checks go on. The folder appears under its name when the copy' +
        '\nis complete and fsck finds nothing in it. It holds keys and openings: protect it as the data directory. Ends with 0:' +
        '\ndone; 1: refused, with the reason, and nothing is left; 64: usage.',
    )
    .exitOverride()
    .action(async (dir: string, { dataDir, json = false }: Options) => {
      const { backUp, BackupRefused } = await import('@countersign/fsck');
      const config = loadConfig();
      if (config.profile === 'distributed') {
        throw new CommandFailed(
          EXIT.wrong,
          'refused: the distributed profile keeps its data on servers: back them up as deploy/operations.md says',
        );
      }
      const located = dataDir === undefined ? config.dataDir : resolve(dataDir);
      const target = resolve(dir);
      const bar = new ProgressBar();
      process.umask(0o077);
      const done = await backUp(located, target, {
        chainIsElsewhere: config.solanaRpcUrls.length > 0,
        afterCut: stepBack,
        progress: (step, at, total) => bar.show(step, at, total),
      })
        .catch((error: unknown) => {
          if (error instanceof CommandFailed) throw error;
          const reason = error instanceof BackupRefused ? error.message : explain(error);
          throw new CommandFailed(EXIT.wrong, `refused: ${reason}`);
        })
        .finally(() => bar.stop());
      process.stdout.write(json ? asJson(done) : await shown(located, target, done));
    });
}

/** Lets the instance on the same machine go first: copying and checking take as long as they need. */
function stepBack(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Not permitted: the priority stays.
  }
}

/** A bar on a terminal; ends the command when it is interrupted, after which nothing is left at the target. */
class ProgressBar {
  readonly #bar = new SingleBar({ format: '{step} {bar} {value}/{total} {unit}, {duration} s', clearOnComplete: true });
  #step: BackupStep | null = null;
  #signal: NodeJS.Signals | null = null;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (this.#signal = signal));
  }

  show(step: BackupStep, at: number, total: number): void {
    if (this.#signal !== null) throw new CommandFailed(EXIT.wrong, `ended by ${this.#signal}: nothing was kept`);
    const [verb, unit, size] = STEPS[step];
    const round = (value: number): number => Math.round(value / size);
    if (this.#step !== step) {
      this.#bar.stop();
      this.#bar.start(round(total), round(at), { step: verb, unit });
      this.#step = step;
    }
    this.#bar.update(round(at));
  }

  stop(): void {
    this.#bar.stop();
  }
}

function asJson({ manifest, examination, files, bytes, seconds, heldMs }: BackupDone): string {
  const { takenAt, newestEventAt } = manifest;
  const { windows } = examination;
  return `${JSON.stringify({ takenAt, newestEventAt, files, bytes, seconds, storesHeldMs: heldMs, windows }, null, 2)}\n`;
}

async function shown(dataDir: string, target: string, done: BackupDone): Promise<string> {
  const { mebibytes, showReport } = await import('@countersign/fsck');
  const { manifest, examination, files, bytes, seconds, heldMs } = done;
  return [
    showReport(target, examination),
    `Backed up ${dataDir} as of ${manifest.takenAt}: ${mebibytes(bytes)} MiB in ${files} files, ${seconds.toFixed(1)} s.`,
    `Newest event: ${manifest.newestEventAt ?? 'none'}. The stores waited ${heldMs.toFixed(1)} ms; the event log did not wait.`,
    'It holds keys and openings: protect it as the data directory.',
    '',
  ].join('\n');
}
