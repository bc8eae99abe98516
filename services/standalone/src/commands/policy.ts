import { InvalidArgumentError, type Command } from 'commander';
import { targetOf, withTarget, type TargetOptions } from '../api-client/target-options.js';
import { casesText, sumOf } from '../policy-test/describe-cases.js';
import { dryRunText, requestDryRun } from '../policy-test/dry-run.js';
import { CommandFailed, EXIT } from './exit-codes.js';

/** `countersign policy`: policies that live in a repository. */
export function register(program: Command): void {
  const policy = program.command('policy').description('test a policy that lies in a file, and try it on the record');
  registerTest(policy);
  registerDryRun(policy);
}

/** `countersign policy test FILE…`: offline, by the engine that gateways decide with. */
function registerTest(policy: Command): void {
  policy
    .command('test')
    .description('run the cases of policies: YAML or JSON with a profile (or the rules of a safety package) and cases')
    .argument('<file...>', 'file of a policy, or a folder with .yaml, .yml and .json files')
    .option('--json', 'print the whole result as JSON')
    .addHelpText('after', '\nEnds with 0: all cases pass; 1: some fail; 64: usage, or a file that cannot be read.')
    .exitOverride()
    .action(async (files: readonly string[], { json }: { readonly json?: boolean }) => {
      // It brings the decision's engine along, which no other command waits for.
      const { testFiles } = await import('../policy-test/test-files.js');
      const tested = await testFiles(files);
      const sum = sumOf(tested);
      process.stdout.write(
        json === true ? `${JSON.stringify({ ...sum, files: tested }, null, 2)}\n` : casesText(tested),
      );
      process.exitCode = sum.failed === 0 ? EXIT.holds : EXIT.wrong;
    });
}

interface DryRunOptions extends TargetOptions {
  readonly agent?: string;
  readonly from?: string;
  readonly to?: string;
  readonly failOnFlips?: boolean;
  readonly json?: boolean;
  readonly email?: string;
  readonly password?: string;
}

const DAY_MS = 86_400_000;

/** `countersign policy dry-run FILE`: what the profile of a file would have decided otherwise. */
function registerDryRun(policy: Command): void {
  const command = policy
    .command('dry-run')
    .description('ask an instance which checks on record the profile of a file would have decided otherwise')
    .argument('<file>', 'file of a policy that has a profile')
    .option('--agent <id>', 'agent whose record is judged; default: the first agent')
    .option('--from <iso>', 'first instant of the record; default: a day before --to', instant)
    .option('--to <iso>', 'instant after the last one; default: now', instant)
    .option('--fail-on-flips', 'end with 1 where any check would be decided otherwise')
    .option('--email <address>', 'who logs in; default: as bootstrap.json says')
    .option('--password <text>', 'password; default: as bootstrap.json says')
    .option('--json', 'print the whole answer as JSON')
    .addHelpText(
      'after',
      '\nEnds with 0: answered; 1: refused, or --fail-on-flips; 64: usage, or a file that cannot be read.',
    );
  withTarget(command)
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
      const target = await targetOf(options, {
        agentId: options.agent,
        email: options.email,
        password: options.password,
      });
      const answer = await requestDryRun(target, { profile: written, from, to });
      process.stdout.write(options.json === true ? `${JSON.stringify(answer, null, 2)}\n` : dryRunText(answer));
      const flips = answer.flips.toDenied + answer.flips.toAllowed;
      process.exitCode = options.failOnFlips === true && flips > 0 ? EXIT.wrong : EXIT.holds;
    });
}

function instant(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError('a time such as 2026-03-01T00:00:00Z');
  return text;
}
