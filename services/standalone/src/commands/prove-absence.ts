import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { isInstant, isUuid, parseIsoDuration } from '@countersign/evidence';
import { explain, loadConfig } from '@countersign/service-kit';
import type { WindowName } from '../operate/prove-absence.js';
import { CommandFailed, EXIT } from './exit-codes.js';

/** That an agent had no event in a window: for the operator alone, since it shows two leaves that belong to others. */
export function registerProveAbsence(admin: Command): void {
  admin
    .command('prove-absence')
    .description('print the proof that an agent had no event in an anchored window; countersign verify checks it')
    .argument('<agentId>', 'the agent', agent)
    .argument('<window>', 'as its memo names it: 2026-03-02T10:00:00.000Z/PT5M', window)
    .option('--data-dir <folder>', 'data directory; default: COUNTERSIGN_DATA_DIR, or data')
    .addHelpText(
      'after',
      '\nThe proof shows the hashed ids and the counts of the two neighbouring agents, whoever they belong to.' +
        '\nReads the store of anchoring, of an instance that runs or does not. Ends with 0: proven; 1: the agent had events,' +
        '\nor there is no such anchored window; 64: usage.',
    )
    .exitOverride()
    .action(async (agentId: string, name: WindowName, { dataDir }: { readonly dataDir?: string }) => {
      const { proveAbsence } = await import('../operate/prove-absence.js');
      const config = loadConfig();
      const place = dataDir === undefined ? config : { ...config, dataDir: resolve(dataDir) };
      const answer = await proveAbsence(place, agentId, name).catch((error: unknown) => {
        throw new CommandFailed(EXIT.wrong, `refused: ${explain(error)}`);
      });
      if (typeof answer === 'string') throw new CommandFailed(EXIT.wrong, answer);
      process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    });
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
