#!/usr/bin/env node
import { existsSync } from 'node:fs';

// Without the bundle, which `npm run bundle` writes, the compiled modules.
const program = ['../dist/program/countersign.js', '../dist/cli.js']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url));
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
if (program !== undefined) {
  await import(program.href);
} else {
  process.stderr.write('countersign is not built yet: run `npm run bundle` in its folder first\n');
  process.exitCode = isHook ? 2 : 64;
}
