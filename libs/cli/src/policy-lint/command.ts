import type { Command } from 'commander';
import { EXIT } from '../exit-codes.js';

interface LintOptions {
  readonly tools?: string;
  readonly json?: boolean;
}

/** `countersign policy lint FILE…`: finds what a policy says in vain. */
export function registerLint(policy: Command): void {
  policy
    .command('lint')
    .description('find rules, facts and entries of policies that are refused, have no effect, or read unknown members')
    .argument('<file...>', 'file of a policy, or a folder with .yaml, .yml and .json files')
    .option('--tools <file>', 'input schemas of tools, as mcp-proxy --tools-file writes them')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      '\nEnds with 0: no findings; 1: findings; 64: usage, or a file that cannot be read or is no policy.',
    )
    .exitOverride()
    .action(async (files: readonly string[], { tools, json }: LintOptions) => {
      // Loads the decision engine, which no other command needs.
      const [{ lintFiles }, { countOf, findingsText }, { readTools }] = await Promise.all([
        import('./lint-files.js'),
        import('./describe-findings.js'),
        import('./read-tools.js'),
      ]);
      const linted = await lintFiles(files, tools === undefined ? null : await readTools(tools));
      const count = countOf(linted);
      process.stdout.write(
        json === true ? `${JSON.stringify({ count, files: linted }, null, 2)}\n` : findingsText(linted),
      );
      process.exitCode = count === 0 ? EXIT.holds : EXIT.wrong;
    });
}
