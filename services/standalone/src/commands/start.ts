import { Option, type Command } from 'commander';

/** `countersign start`: runs every service in one process. */
export function register(program: Command): void {
  program
    .command('start')
    .description('run every service in one process, until Ctrl-C')
    .argument('[services...]', 'with COUNTERSIGN_PROFILE=distributed: run only these; other processes run the others')
    .addOption(new Option('--only <service>', 'to measure it alone').choices(['gateway']).hideHelp())
    .addHelpText('after', '\nSettings come from COUNTERSIGN_* variables; see services/standalone/README.md.')
    .action(async (services: readonly string[], { only }: { readonly only?: 'gateway' }) => {
      const { start } = await import('../start/start.js');
      await start(services, only ?? null);
    });
}
