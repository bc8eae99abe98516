import { Argument, Option, type Command } from 'commander';
import { clientEnvironment } from '@countersign/process/client-environment';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { hookSettings } from '../hook/settings.js';
import type { HookTarget } from '../hook/settings.js';
import { SETUP_TOOLS, TOOL_SETUPS } from '../hook-setup/tool-setups.js';
import type { Scope, SetupTool } from '../hook-setup/tool-setups.js';

interface InstallFlags extends HookTarget {
  readonly scope: Scope;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** `countersign hook install` and `countersign hook doctor`. */
export function registerSetup(hook: Command): void {
  hook
    .command('install')
    .description('write the hook of a coding agent into its settings, and prove that a denial blocks')
    .addArgument(new Argument('<tool>', 'the coding agent').choices(SETUP_TOOLS))
    .addOption(
      new Option('--scope <scope>', 'settings of the user, or of the project in this folder')
        .choices(['user', 'project'])
        .default('user'),
    )
    .option('--agent <id>', 'agent that acts; default: COUNTERSIGN_AGENT_ID')
    .option('--base-url <url>', 'address of the service; default: COUNTERSIGN_BASE_URL, or http://127.0.0.1:8080')
    .option('--data-dir <folder>', 'take what the environment does not set from bootstrap.json of this folder')
    .option('--yes', 'write without asking')
    .option('--dry-run', 'show the change, and write nothing')
    .addHelpText(
      'after',
      '\nEnds with 0: written and proven, or shown; 1: written, and a proof failed; 64: nothing was changed.',
    )
    .action(async (tool: SetupTool, _options: unknown, command: Command) => {
      // Options that `hook` has as well are its own, wherever they stand.
      const { scope, yes = false, dryRun = false, ...target } = command.optsWithGlobals<InstallFlags>();
      const { DEFAULT_BASE_URL } = await import('@countersign/client');
      const { installHook } = await import('../hook-setup/install.js');
      const settings = await hookSettings(target, DEFAULT_BASE_URL).catch((error: unknown) => {
        throw new CommandFailed(EXIT.usage, error instanceof Error ? error.message : String(error));
      });
      const terminal = { input: process.stdin, output: process.stdout };
      await installHook(tool, settings, { scope, cwd: process.cwd(), yes, dryRun }, terminal);
      // The program of hooks begins with the exit code of a denial.
      process.exitCode = EXIT.holds;
    });
  hook
    .command('doctor')
    .description('say which coding agents here are not covered by hooks, and run a canary through those that are')
    .addHelpText('after', '\nEnds with 0 if everything found is covered, else with 1.')
    .action(async () => {
      const { diagnose } = await import('../hook-setup/doctor.js');
      const found = await diagnose(process.cwd(), clientEnvironment().apiKey);
      let isWrong = false;
      for (const { tool, state, problems, notes } of found) {
        if (state === 'absent' && problems.length === 0) continue;
        isWrong ||= state === 'uncovered' || problems.length > 0;
        const said = state === 'uncovered' ? `in use without a hook: countersign hook install ${tool}` : state;
        const lines = [`${TOOL_SETUPS[tool].title}: ${said}`, ...problems.map((one) => `  problem: ${one}`)];
        process.stdout.write(`${[...lines, ...notes.map((one) => `  ${one}`)].join('\n')}\n`);
      }
      if (isWrong) throw new CommandFailed(EXIT.wrong, 'not everything is covered');
      if (found.every(({ state }) => state === 'absent')) process.stdout.write('no coding agent is in use here\n');
      process.exitCode = EXIT.holds;
    });
}
