import { Option, type Command } from 'commander';

/** `countersign start`: every service in one process. */
export function register(program: Command): void {
  program
    .command('start')
    .description('run every service in one process, until Ctrl-C')
    .addOption(new Option('--only <service>', 'to measure it alone').choices(['gateway']).hideHelp())
    .addHelpText('after', '\nSettings come from COUNTERSIGN_* variables; see the README.')
    .action(async ({ only }: { readonly only?: 'gateway' }) => {
      const { start } = await import('../start/start.js');
      await start(only ?? null);
    });
}
