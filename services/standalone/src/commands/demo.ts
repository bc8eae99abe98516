import type { Command } from 'commander';
import { demonstrate } from '../demo/demo.js';

/** `countersign demo`: all steps, on an instance that is removed afterwards. */
export function register(program: Command): void {
  program
    .command('demo')
    .description('from an action to a report that anyone can verify, in under a minute')
    .action(() => demonstrate((line) => void process.stdout.write(`${line}\n`)));
}
