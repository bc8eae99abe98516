import { readFileSync } from 'node:fs';
import { runProgram } from './run-program.js';

// The program of the package without the services: `package.mjs`.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

await runProgram(
  {
    replay: () => import('./commands/replay.js'),
    hook: () => import('./commands/hook.js'),
    'mcp-proxy': () => import('./commands/mcp-proxy.js'),
    policy: () => import('./commands/policy.js'),
    approvals: () => import('./commands/approvals.js'),
    export: () => import('./commands/export.js'),
    reports: () => import('./commands/reports.js'),
    erase: () => import('./commands/erase.js'),
    holds: () => import('./commands/holds.js'),
    alerts: () => import('./commands/alerts.js'),
    verify: () => import('./commands/verify.js'),
    sample: () => import('./commands/sample.js'),
  },
  (JSON.parse(manifest) as { readonly version: string }).version,
);
