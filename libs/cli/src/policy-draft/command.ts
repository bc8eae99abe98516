import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { loginOf, withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { targetOf, withTarget, type TargetOptions } from '../api-client/target-options.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

interface DraftCommandOptions extends TargetOptions, LoginOptions {
  readonly fromTraffic?: boolean;
  readonly agent?: string;
  readonly from?: string;
  readonly to?: string;
  readonly most: number;
  readonly holdout: number;
  readonly denyAtMost: number;
  readonly headroom: number;
  readonly least: number;
  readonly withoutArguments?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

const DAYS_30_MS = 30 * 86_400_000;
const MOST_CHECKS = 20_000;

/** `countersign policy draft --from-traffic`: proposes a policy from what an agent's recorded checks show. */
export function registerDraft(policy: Command): void {
  const command = policy
    .command('draft')
    .description('propose a policy from the recorded checks of an agent, and report what it would have denied')
    .requiredOption('--from-traffic', 'draft from recorded checks')
    .option('--agent <id>', 'agent whose checks are read; default: the first agent')
    .option('--from <iso>', 'first instant; default: 30 days before --to', instant)
    .option('--to <iso>', 'instant after the last one; default: now', instant)
    .option('--most <n>', 'newest checks that are read, at most 20000', number(1, MOST_CHECKS, true), 2000)
    .option(
      '--holdout <share>',
      'share of the checks, the newest, on which the draft does not rest',
      number(0, 0.9),
      0.2,
    )
    .option(
      '--deny-at-most <share>',
      'share of the checks on which it rests that the draft may deny',
      number(0, 0.5),
      0,
    )
    .option('--headroom <factor>', 'factor of the largest counts, sums and lengths that were seen', number(1, 100), 1.5)
    .option(
      '--least <n>',
      'fewest checks on which the draft, and each rule on arguments, rests',
      number(1, MOST_CHECKS, true),
      20,
    )
    .option('--without-arguments', 'draft lists and rates alone, where no arguments were stored')
    .option('--out <file>', 'file for the policy, as YAML; default: standard output, and the report on standard error')
    .option('--json', 'print policy and report as JSON')
    .addHelpText('after', '\nEnds with 0: drafted; 1: refused, or too little to draft from; 64: usage.');
  withTarget(withLogin(command)).exitOverride().action(runDraft);
}

async function runDraft(options: DraftCommandOptions): Promise<void> {
  const { out, json } = options;
  if (out?.endsWith('.json') === true)
    throw new CommandFailed(EXIT.usage, `${out}: a draft is YAML, because comments say on what its rules rest`);
  const to = options.to ?? new Date().toISOString();
  const from = options.from ?? new Date(Date.parse(to) - DAYS_30_MS).toISOString();
  const target = await targetOf(options, { agentId: options.agent, ...(await loginOf(options)) });
  const [{ draftPolicy }, { readTraffic }, { draftFile }, { draftText }] = await Promise.all([
    import('@countersign/policy/policy-files'),
    import('./read-traffic.js'),
    import('./draft-file.js'),
    import('./describe-draft.js'),
  ]);
  const { profile, checks, truncated } = await readTraffic({ ...target, from, to, most: options.most });
  const { holdout, denyAtMost, headroom, least, withoutArguments = false } = options;
  const draft = await draftPolicy(checks, profile, { holdout, denyAtMost, headroom, least, withoutArguments });
  const head = { agentId: target.agentId, from, to };
  if ('refusal' in draft)
    throw new CommandFailed(EXIT.wrong, `agent ${target.agentId}, ${from} to ${to}: ${draft.refusal}`);
  const file = draftFile(draft, head);
  if (out !== undefined) {
    await writeFile(out, file).catch((error: NodeJS.ErrnoException) => {
      throw new CommandFailed(EXIT.wrong, `cannot write ${out} (${error.code})`);
    });
  }
  if (json === true) process.stdout.write(`${JSON.stringify({ ...head, truncated, ...draft }, null, 2)}\n`);
  else if (out === undefined) {
    process.stderr.write(draftText(draft, head, truncated));
    process.stdout.write(file);
  } else process.stdout.write(`${draftText(draft, head, truncated)}${out} is written\n`);
}

function number(least: number, most: number, whole = false): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= least && value <= most) || (whole && !Number.isInteger(value))) {
      throw new InvalidArgumentError(`a ${whole ? 'whole number' : 'number'} from ${least} to ${most}`);
    }
    return value;
  };
}

export function instant(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError('a time such as 2026-03-01T00:00:00Z');
  return text;
}
