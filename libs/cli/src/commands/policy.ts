import { messageOf } from '@countersign/async';
import type { Command } from 'commander';
import { apiKeyOf, loginOf, withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { targetOf, withTarget, type TargetOptions } from '../api-client/target-options.js';
import { clientEnvironment } from '@countersign/process/client-environment';
import type { DryRunAnswer } from '@countersign/contracts';
import { casesText, sumOf } from '../policy-test/describe-cases.js';
import { instant, registerDraft } from '../policy-draft/command.js';
import { registerLint } from '../policy-lint/command.js';
import { dryRunText, requestDryRun } from '../policy-test/dry-run.js';
import { oneLine } from '../verify-file/describe-package.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

/** `countersign policy`: policies that are kept in a repository. */
export function register(program: Command): void {
  const policy = program
    .command('policy')
    .description('policies in files: draft, test and lint them, run them against recorded checks, put them in force');
  registerTest(policy);
  registerLint(policy);
  registerDryRun(policy);
  registerDraft(policy);
  registerInForce(policy);
}

/** `countersign policy test FILE…`: runs the cases offline, with the engine of the gateways. */
function registerTest(policy: Command): void {
  policy
    .command('test')
    .description('run the cases of policies: YAML or JSON with a profile (or the rules of a safety package) and cases')
    .argument('<file...>', 'file of a policy, or a folder with .yaml, .yml and .json files')
    .option('--json', 'print the whole result as JSON')
    .addHelpText('after', '\nEnds with 0: all cases pass; 1: some fail; 64: usage, or a file that cannot be read.')
    .exitOverride()
    .action(async (files: readonly string[], { json }: { readonly json?: boolean }) => {
      // Loads the decision engine, which no other command needs.
      const { testFiles } = await import('../policy-test/test-files.js');
      const tested = await testFiles(files);
      const sum = sumOf(tested);
      process.stdout.write(
        json === true ? `${JSON.stringify({ ...sum, files: tested }, null, 2)}\n` : casesText(tested),
      );
      process.exitCode = sum.failed === 0 ? EXIT.holds : EXIT.wrong;
    });
}

interface DryRunOptions extends TargetOptions, LoginOptions {
  readonly agent?: string;
  readonly from?: string;
  readonly to?: string;
  readonly failOnFlips?: boolean;
  readonly json?: boolean;
}

const DAY_MS = 86_400_000;

/** `countersign policy dry-run FILE`: reports the recorded checks that the profile of a file would decide differently. */
function registerDryRun(policy: Command): void {
  const command = policy
    .command('dry-run')
    .description('report which recorded checks the profile of a file would decide differently')
    .argument('<file>', 'file of a policy that has a profile')
    .option('--agent <id>', 'agent whose checks are judged; default: the first agent')
    .option('--from <iso>', 'first instant; default: a day before --to', instant)
    .option('--to <iso>', 'instant after the last one; default: now', instant)
    .option('--fail-on-flips', 'end with 1 if any check would be decided differently')
    .option('--json', 'print the whole answer as JSON')
    .addHelpText(
      'after',
      '\nEnds with 0: answered; 1: refused; with --fail-on-flips 1: some flip, 2: refused; 64: usage, or a file that cannot be read.',
    );
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (file: string, options: DryRunOptions) => {
      const { readPolicy } = await import('../policy-test/read-policy.js');
      const { kind, written } = await readPolicy(file);
      if (kind !== 'profile') {
        throw new CommandFailed(
          EXIT.usage,
          `${file}: a dry run takes a profile, and this is a package, which is merged into one`,
        );
      }
      const to = options.to ?? new Date().toISOString();
      const from = options.from ?? new Date(Date.parse(to) - DAY_MS).toISOString();
      const ask = async (): Promise<DryRunAnswer> => {
        const target = await targetOf(options, { agentId: options.agent, ...(await loginOf(options)) });
        return requestDryRun(target, { profile: written, from, to });
      };
      const answer = await (options.failOnFlips === true ? ask().catch(notCompared) : ask());
      process.stdout.write(options.json === true ? `${JSON.stringify(answer, null, 2)}\n` : dryRunText(answer));
      const flips = answer.flips.toDenied + answer.flips.toAllowed;
      process.exitCode = options.failOnFlips === true && flips > 0 ? EXIT.wrong : EXIT.holds;
    });
}

interface InForceOptions extends TargetOptions {
  readonly agent?: string;
  readonly apiKeyFile?: string;
}

const IN_FORCE = {
  apply: 'put the whole profile of a file in force: fields that it does not name take their defaults',
  pull: 'write the profile in force into a file; cases and comments in it stay',
  diff: 'show what the profile of a file would change in the one in force',
} as const;

/** `countersign policy apply|pull|diff FILE`: uses an API key that has the right `policy`. */
function registerInForce(policy: Command): void {
  for (const name of ['apply', 'pull', 'diff'] as const) {
    const command = policy
      .command(name)
      .description(IN_FORCE[name])
      .argument('<file>', 'file of a policy')
      .option('--agent <id>', 'agent; default: COUNTERSIGN_AGENT_ID, or the first agent')
      .option(
        '--api-key-file <file>',
        'file that holds the API key; default: COUNTERSIGN_API_KEY, or as bootstrap.json says',
      )
      .addHelpText(
        'after',
        name === 'diff'
          ? '\nEnds with 0: nothing differs; 1: something differs; 2: refused, or no answer; 64: usage, or a file that cannot be read.'
          : '\nEnds with 0: done; 1: refused; 64: usage, or a file that cannot be read.',
      );
    withTarget(command)
      .exitOverride()
      .action((file: string, options: InForceOptions) => runInForce(name, file, options));
  }
}

async function runInForce(name: keyof typeof IN_FORCE, file: string, options: InForceOptions): Promise<void> {
  const { compareInForce, namedRules, profileInForce, putInForce } = await import('../policy-in-force/in-force.js');
  const given = clientEnvironment();
  const target = async () =>
    targetOf(
      { ...options, ...((options.baseUrl ?? given.baseUrl) ? { baseUrl: options.baseUrl ?? given.baseUrl! } : {}) },
      { agentId: options.agent ?? given.agentId, apiKey: await apiKeyOf(options.apiKeyFile) },
    );
  if (name === 'pull') {
    const { writeProfile } = await import('../policy-in-force/pull-file.js');
    const profile = await profileInForce(await target());
    await writeProfile(file, namedRules(profile));
    process.stdout.write(`${file}: profile of agent ${profile.agent_id}, version ${profile.version}\n`);
    return;
  }
  const { readPolicy } = await import('../policy-test/read-policy.js');
  const { kind, patch } = await readPolicy(file);
  if (kind !== 'profile') {
    throw new CommandFailed(EXIT.usage, `${file}: only a profile is put in force, and this is a package`);
  }
  if (name === 'diff') {
    const lines = await target()
      .then((asked) => compareInForce(asked, patch))
      .catch(notCompared);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    process.exitCode = lines.length > 0 ? EXIT.wrong : EXIT.holds;
    return;
  }
  const { before, after, lines, warnings } = await putInForce(await target(), patch);
  const head =
    lines.length === 0
      ? `agent ${after.agent_id}: version ${after.version} is in force already`
      : `agent ${after.agent_id}: version ${before.version} -> ${after.version}`;
  process.stdout.write(
    [head, ...lines, ...warnings.map((warning) => oneLine(`WARN ${file}: ${warning}`)), ''].join('\n'),
  );
}

/** Exit code 1 reports differences, so every failure takes another code. */
function notCompared(error: unknown): never {
  if (error instanceof CommandFailed && error.exitCode !== EXIT.wrong) throw error;
  throw new CommandFailed(EXIT.unchecked, messageOf(error));
}
