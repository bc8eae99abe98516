import { Argument, InvalidArgumentError, type Command } from 'commander';
import { notReported, refusal, type HookAnswer } from '../hook/answer.js';
import { answerInTime } from '../hook/answer-in-time.js';
import type { Asker } from '../hook/claude-code.js';
import { defaultFolder, PendingChecks } from '../hook/pending-checks.js';
import { readInput } from '../hook/read-input.js';
import { hookSettings } from '../hook/settings.js';
import type { HookTarget } from '../hook/settings.js';
import { registerSetup } from './hook-setup.js';
import { uncheckedMessage } from '@countersign/mcp-proxy/denial-messages';

interface Options extends HookTarget {
  readonly timeoutMs: number;
  readonly failOpen?: boolean;
  readonly anyAgent?: boolean;
}

const FORMS = ['claude-code', 'check', 'outcome'] as const;

/** `countersign hook`: one check, or one outcome, for a program that runs a command before and after it acts. */
export function register(program: Command): void {
  const hook = program.command('hook');
  registerSetup(hook);
  hook
    .description('answer a hook of Claude Code, or of any program that runs a command before it acts')
    .addArgument(
      new Argument(
        '[form]',
        'claude-code: its hooks; check: an action on standard input; outcome: the outcome of a check',
      )
        .choices(FORMS)
        .default('check'),
    )
    .option('--agent <id>', 'agent that acts; default: COUNTERSIGN_AGENT_ID')
    .option('--base-url <url>', 'address of the service; default: COUNTERSIGN_BASE_URL, or http://127.0.0.1:8080')
    .option('--data-dir <folder>', 'take what the environment does not set from bootstrap.json of this folder')
    .option('--timeout-ms <n>', 'for the whole answer; the action is denied once it has passed', milliseconds, 5000)
    .option(
      '--fail-open',
      'allow an action that was not decided: the service is unavailable or did not answer. A refusal stays one',
    )
    .option('--any-agent', 'check: allow agentId on standard input to differ from the configured agent')
    .addHelpText(
      'after',
      '\nEnvironment: COUNTERSIGN_API_KEY, COUNTERSIGN_AGENT_ID, COUNTERSIGN_BASE_URL.' +
        '\nEnds with 0: allowed, or answered as Claude Code expects; 2: denied, with the reason on standard error; 1: an outcome was not recorded.',
    )
    .action(async (form: (typeof FORMS)[number], options: Options) => {
      const failed = (why: string): HookAnswer =>
        form === 'outcome' ? notReported(why) : refusal(uncheckedMessage(why));
      const answer = await answerInTime(options.timeoutMs, (leftMs) => answerTo(form, options, leftMs), failed);
      await Promise.all([written(process.stdout, answer.stdout), written(process.stderr, answer.stderr)]);
      // Remaining timers and connections do not keep the process running. Only a look-up of a host name that the system
      // has begun would.
      process.exit(answer.code);
    });
}

async function answerTo(form: (typeof FORMS)[number], options: Options, leftMs: () => number): Promise<HookAnswer> {
  const text = await readInput(process.stdin, leftMs());
  const asker = (): Promise<Asker> => openAsker(options, leftMs());
  if (form === 'claude-code') {
    const { answerClaudeCode } = await import('../hook/claude-code.js');
    return answerClaudeCode(text, asker, new PendingChecks(defaultFolder()));
  }
  const { answerCheck, answerOutcome } = await import('../hook/command.js');
  return form === 'check' ? answerCheck(text, asker, options.anyAgent === true) : answerOutcome(text, asker);
}

/** @throws Error naming the setting that is missing or invalid */
async function openAsker(options: Options, timeoutMs: number): Promise<Asker> {
  const { Countersign, DEFAULT_BASE_URL } = await import('@countersign/client');
  const { apiKey, agentId, baseUrl } = await hookSettings(options, DEFAULT_BASE_URL);
  const client = new Countersign({
    apiKey,
    agentId,
    baseUrl,
    timeoutMs,
    attemptTimeoutMs: Math.min(2000, timeoutMs),
    failMode: options.failOpen === true ? 'open' : 'closed',
    circuitBreaker: false,
  });
  return { client, agentId, baseUrl };
}

function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 600_000) {
    throw new InvalidArgumentError('a number from 1 to 600000');
  }
  return value;
}
