import { cpus } from 'node:os';
import { client } from './client/client.js';
import { commitments } from './commitments/commitments.js';
import { detection } from './detection/detection.js';
import { readOptions, USAGE } from './options.js';
import type { BenchOptions } from './options.js';
import { rules } from './rules/rules.js';
import { exportEvents } from './stored/export-events.js';
import { exportPackage } from './stored/export-package.js';
import { startUp } from './stored/start-up.js';
import { throughput } from './throughput/throughput.js';
import { windows } from './windows/windows.js';

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  let options: BenchOptions;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exitCode = 64;
    return;
  }
  const cores = cpus();
  print(`${cores.length} cores, ${cores[0]?.model ?? 'unknown'}, Node ${process.version}, ${process.platform}`);
  switch (options.run) {
    case 'throughput':
      return throughput(options, print);
    case 'start-up':
      return startUp(options, print);
    case 'export':
      return exportPackage(options, print);
    case 'export-events':
      return exportEvents(options, print);
    case 'windows':
      return windows(options, print);
    case 'commitments':
      return commitments(options, print);
    case 'memory':
      return (await import('./memory/memory.js')).memory(options, print);
    case 'identity':
      return (await import('./identity/identity.js')).identity(options, print);
    case 'client':
      return client(options, print);
    case 'mcp-proxy':
      return (await import('./mcp-proxy/mcp-proxy.js')).mcpProxy(options, print);
    case 'console':
      return (await import('./console/console.js')).consoleScreens(options, print);
    case 'detection':
      return detection(print);
    case 'rules':
      return rules(options, print);
    case 'overload':
      return (await import('./overload/overload.js')).overload(options, print);
    case 'fairness':
      return (await import('./fairness/fairness.js')).fairness(options, print);
    // Loaded on demand: the servers' drivers load slowly.
    case 'distributed':
      return (await import('./distributed/distributed.js')).distributed(options, print);
    case 'scaling':
      return (await import('./scaling/scaling.js')).scaling(options, print);
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
