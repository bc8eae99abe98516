import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { CommandFailed, EXIT } from '@countersign/cli/exit-codes';
import { HOOK_EXIT } from '@countersign/cli/hook-exit';

interface CommandModule {
  readonly register: (program: Command) => void;
}

/** In the order of the help text. Only the module of the named command is loaded. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  start: () => import('./commands/start.js'),
  replay: () => import('@countersign/cli/commands/replay'),
  hook: () => import('@countersign/cli/commands/hook'),
  'mcp-proxy': () => import('@countersign/cli/commands/mcp-proxy'),
  policy: () => import('@countersign/cli/commands/policy'),
  approvals: () => import('@countersign/cli/commands/approvals'),
  export: () => import('@countersign/cli/commands/export'),
  reports: () => import('@countersign/cli/commands/reports'),
  erase: () => import('@countersign/cli/commands/erase'),
  verify: () => import('@countersign/cli/commands/verify'),
  sample: () => import('@countersign/cli/commands/sample'),
  fsck: () => import('./commands/fsck.js'),
  admin: () => import('./commands/admin.js'),
  localnet: () => import('./commands/localnet.js'),
  demo: () => import('./commands/demo.js'),
  console: () => import('./commands/console.js'),
};

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('countersign')
    .description('Decides before an AI agent acts, keeps the decision, and proves it.')
    .version(version())
    .exitOverride();
  const named = COMMANDS[argv[2] ?? ''];
  const modules = await Promise.all((named === undefined ? Object.values(COMMANDS) : [named]).map((load) => load()));
  for (const { register } of modules) register(program);
  for (const command of program.commands) command.exitOverride();
  await program.parseAsync([...argv]);
}

/** Programs that run a hook allow an action on every exit code but one. */
const failed = process.argv[2] === 'hook' ? { usage: HOOK_EXIT.denied, wrong: HOOK_EXIT.denied } : EXIT;

try {
  await main(process.argv);
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : failed.usage;
  else if (error instanceof CommandFailed) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  } else {
    const { explain } = await import('@countersign/process');
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = failed.wrong;
  }
}
