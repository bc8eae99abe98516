import { readFileSync } from 'node:fs';
import { runProgram } from '@countersign/cli/run-program';

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

await runProgram(
  {
    start: () => import('./commands/start.js'),
    replay: () => import('@countersign/cli/commands/replay'),
    hook: () => import('@countersign/cli/commands/hook'),
    'mcp-proxy': () => import('@countersign/cli/commands/mcp-proxy'),
    policy: () => import('@countersign/cli/commands/policy'),
    approvals: () => import('@countersign/cli/commands/approvals'),
    export: () => import('@countersign/cli/commands/export'),
    reports: () => import('@countersign/cli/commands/reports'),
    erase: () => import('@countersign/cli/commands/erase'),
    holds: () => import('@countersign/cli/commands/holds'),
    alerts: () => import('@countersign/cli/commands/alerts'),
    verify: () => import('@countersign/cli/commands/verify'),
    sample: () => import('@countersign/cli/commands/sample'),
    fsck: () => import('./commands/fsck.js'),
    admin: () => import('./commands/admin.js'),
    localnet: () => import('./commands/localnet.js'),
    demo: () => import('./commands/demo.js'),
    console: () => import('./commands/console.js'),
  },
  (JSON.parse(manifest) as { readonly version: string }).version,
);
