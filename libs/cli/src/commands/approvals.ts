import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { APPROVAL_STATES } from '@countersign/contracts';
import type { ApprovalState } from '@countersign/contracts';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { asPerson } from '../api-client/as-person.js';
import { withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { withTarget, type TargetOptions } from '../api-client/target-options.js';
import { ApprovalsApi, requireId } from '../approvals/approvals-api.js';
import { listText, recordText } from '../approvals/describe-approvals.js';
import type { ShownApproval } from '../approvals/describe-approvals.js';
import { visible, visibleJson } from '../approvals/visible.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

interface Options extends TargetOptions, LoginOptions {
  readonly json?: boolean;
}

/** `countersign approvals`: what people are asked to decide about, and their decisions, over the API, as a person. */
export function register(program: Command): void {
  const approvals = program.command('approvals').description('list, show and decide what rules ask a person for');
  registerList(approvals);
  registerShow(approvals);
  registerDecide(approvals);
}

interface ListOptions extends Options {
  readonly status?: ApprovalState;
  readonly agent?: string;
  readonly most: number;
}

function registerList(approvals: Command): void {
  const command = approvals
    .command('list')
    .description('list approvals, newest request first')
    .addOption(new Option('--status <state>', 'only those in this state').choices(APPROVAL_STATES))
    .option('--agent <id>', 'only those of this agent')
    .option('--most <n>', 'list at most so many', mostOf, 100)
    .option('--json', 'print the list as JSON')
    .addHelpText('after', '\nEnds with 0: listed; 1: refused, or no answer; 64: usage.');
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (options: ListOptions) => {
      const { status, agent, most, json } = options;
      const list = await as(options, (api) => api.list({ status, agentId: agent }, most));
      process.stdout.write(json === true ? `${visibleJson(list)}\n` : listText(list.approvals, list.hasMore));
    });
}

function registerShow(approvals: Command): void {
  const command = approvals
    .command('show')
    .description('show an approval: the whole action, the rule, until when, and what was decided')
    .argument('<id>', 'approval_id of the denial')
    .option('--json', 'print the approval as JSON')
    .addHelpText('after', '\nEnds with 0: shown; 1: refused, no such approval, or no answer; 64: usage.');
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (id: string, options: Options) => {
      requireId(id);
      print(await as(options, (api) => api.show(id)), options);
    });
}

interface DecideOptions extends Options {
  readonly approve?: boolean;
  readonly deny?: boolean;
  readonly comment?: string;
  readonly shown?: string;
}

function registerDecide(approvals: Command): void {
  const command = approvals
    .command('decide')
    .description('approve or deny an action: shows it whole and asks, or takes --shown')
    .argument('<id>', 'approval_id of the denial')
    .option('--approve', 'the action may be done, once, or as the rule says')
    .option('--deny', 'the action stays denied until the approval expires')
    .option('--comment <text>', 'recorded with the decision')
    .option('--shown <sha256>', 'the value of `shown` as show printed it: decides without asking')
    .option('--json', 'print the approval afterwards as JSON')
    .addHelpText(
      'after',
      '\nThe digest of what was shown is recorded with the decision.' +
        '\nEnds with 0: decided; 1: refused, decided already, not confirmed, or no answer; 64: usage.',
    );
  withTarget(withLogin(command)).exitOverride().action(decide);
}

async function decide(id: string, options: DecideOptions): Promise<void> {
  const { approve = false, deny = false, comment, shown } = options;
  requireId(id);
  if (approve === deny) throw new CommandFailed(EXIT.usage, 'name one of --approve and --deny');
  const decision = approve ? 'approve' : 'deny';
  if (shown === undefined && !process.stdin.isTTY) {
    throw new CommandFailed(EXIT.usage, 'standard input is no terminal: name what was shown with --shown SHA256');
  }
  const decided = await as(options, async (api) => {
    const digest = shown ?? (await confirmed(await api.show(id), decision));
    return api.decide(id, { decision, shown_sha256: digest, ...(comment === undefined ? {} : { comment }) });
  });
  if (options.json === true) print(decided, options);
  else process.stdout.write(`${visible(`${decided.id}: ${decided.state}`)}\n`);
}

/** Shows the approval and asks on the terminal. Returns the digest of what was shown. @throws CommandFailed 1 */
async function confirmed(approval: ShownApproval, decision: 'approve' | 'deny'): Promise<string> {
  process.stderr.write(recordText(approval));
  const { shown_sha256: digest, why_not: refusal } = approval;
  if (digest === undefined) throw new CommandFailed(EXIT.wrong, 'you cannot decide about this approval');
  if (refusal) throw new CommandFailed(EXIT.wrong, `you cannot decide: ${refusal}`);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = `\n${decision === 'approve' ? 'Approve' : 'Deny'} this action? Type yes: `;
    // The end of the input settles no question.
    const ended = once(asking, 'close').then(() => '');
    const answer = await Promise.race([asking.question(question), ended]);
    if (answer.trim().toLowerCase() !== 'yes') throw new CommandFailed(EXIT.wrong, 'nothing was decided');
  } finally {
    asking.close();
  }
  return digest;
}

function as<T>(options: Options, use: (api: ApprovalsApi) => Promise<T>): Promise<T> {
  return asPerson(options, (ask) => use(new ApprovalsApi(ask)));
}

function print(approval: ShownApproval, { json }: Options): void {
  process.stdout.write(json === true ? `${visibleJson(approval)}\n` : recordText(approval));
}

function mostOf(text: string): number {
  const most = Number(text);
  if (!Number.isInteger(most) || most < 1 || most > 10_000)
    throw new InvalidArgumentError('a whole number from 1 to 10000');
  return most;
}
