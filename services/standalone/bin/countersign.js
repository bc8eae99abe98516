#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/cli.js', import.meta.url);
// Programs that run a hook allow an action on every exit code but 2: every failure of a hook exits with it, also a wait
// that never ends.
const isHook = process.argv[2] === 'hook';
if (isHook) {
  process.exitCode = 2;
  process.on('uncaughtException', (error) => {
    process.stderr.write(`countersign hook: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  });
}
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('countersign is not built yet: run `npm run build` in its folder first\n');
  process.exitCode = isHook ? 2 : 64;
}
