import { InvalidArgumentError, type Command } from 'commander';
import { SingleBar } from 'cli-progress';
import { Api } from '../api-client/api.js';
import { targetOf, withTarget, type TargetOptions } from '../api-client/target-options.js';
import { readActions } from '../replay/read-actions.js';
import { replay, replayTable } from '../replay/replay.js';
import { EXIT } from '../exit-codes.js';

interface Options extends TargetOptions {
  readonly agent?: string;
  readonly apiKey?: string;
  readonly concurrency: number;
}

/** `countersign replay FILE`: sends the recorded actions of an agent as checks. */
export function register(program: Command): void {
  const command = program
    .command('replay')
    .description('check every action of a recorded file: tau-bench conversations, or JSON lines of actions')
    .argument('<file>', 'recorded file')
    .option('--agent <id>', 'agent whose profile decides; default: the first agent')
    .option('--api-key <key>', 'API key; default: as bootstrap.json says')
    .option('--concurrency <n>', 'concurrent checks', positive, 8)
    .addHelpText(
      'after',
      '\nEnds with 0 when every action was decided, allowed or denied; 1 when any was not; 64: usage.',
    );
  withTarget(command).action(async (file: string, options: Options) => {
    const given = { apiKey: options.apiKey, agentId: options.agent };
    const { baseUrl, apiKey, agentId } = await targetOf(options, given);
    const actions = await readActions(file);
    const api = new Api(baseUrl);
    const bar = new SingleBar({ format: '{bar} {value}/{total} checks, {duration} s', clearOnComplete: true });
    bar.start(actions.length, 0);
    const result = await replay(actions, { api, apiKey, agentId, concurrency: options.concurrency }, (done) =>
      bar.update(done),
    );
    bar.stop();
    api.close();
    process.stdout.write(replayTable(result));
    process.exitCode = result.refused.length === 0 ? EXIT.holds : EXIT.wrong;
  });
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1024) throw new InvalidArgumentError('a number from 1 to 1024');
  return value;
}
