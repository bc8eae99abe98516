import type { Command } from 'commander';

/** `countersign start`: every service in one process. */
export function register(program: Command): void {
  program
    .command('start')
    .description('run every service in one process, until Ctrl-C')
    .addHelpText('after', '\nSettings come from COUNTERSIGN_* variables; see the README.')
    .action(async () => {
      const { start } = await import('../start/start.js');
      await start();
    });
}
