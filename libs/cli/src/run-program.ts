import { Command, CommanderError } from 'commander';
import { CommandFailed, EXIT } from './exit-codes.js';
import { HOOK_EXIT } from './hook/answer.js';

interface CommandModule {
  readonly register: (program: Command) => void;
}

/** Loads the module of a command, by the name of the command. */
export type Commands = Readonly<Record<string, () => Promise<CommandModule>>>;

/**
 * Runs the command that `process.argv` names, and sets the exit code. Never rejects.
 * @param commands in the order of the help text; only the module of the named command is loaded
 */
export async function runProgram(commands: Commands, version: string): Promise<void> {
  const { argv } = process;
  // Programs that run a hook allow an action on every exit code but one.
  const failed = argv[2] === 'hook' ? { usage: HOOK_EXIT.denied, wrong: HOOK_EXIT.denied } : EXIT;
  try {
    await parse(commands, version, argv);
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
}

async function parse(commands: Commands, version: string, argv: readonly string[]): Promise<void> {
  const program = new Command('countersign')
    .description('Decides before an AI agent acts, keeps the decision, and proves it.')
    .version(version)
    .exitOverride();
  const named = commands[argv[2] ?? ''];
  const modules = await Promise.all((named === undefined ? Object.values(commands) : [named]).map((load) => load()));
  for (const { register } of modules) register(program);
  for (const command of program.commands) command.exitOverride();
  await program.parseAsync([...argv]);
}
