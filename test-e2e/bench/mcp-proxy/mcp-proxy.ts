import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { median, Samples } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { json } from '../subjects/http.js';
import { cpuSecondsOf } from '../subjects/process-figures.js';
import { aimLine } from '../throughput/report.js';

const PROGRAM = fileURLToPath(new URL('../../../../services/standalone/bin/countersign.js', import.meta.url));
const SERVER = fileURLToPath(new URL('./echo-server.js', import.meta.url));
const WARM_UP_CALLS = 500;
/** Calls of one way before alternating, so that disturbances of the machine affect both. */
const CALLS_PER_SLICE = 25;

const RULES = {
  off_limits_actions: ['delete_*'],
  output_rules: { blocked_pii: ['credit_card', 'email'], block_secrets: true, blocked_topics: [], max_length: null },
};

/** Prints the overhead of the proxy for a call of a no-op tool, one call after the other. */
export async function mcpProxy(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const instance = await Countersign.start({ dataDir: join(folder.path, 'data') });
  const clients: Client[] = [];
  try {
    const environment = await environmentOf(instance);
    const proxy = [PROGRAM, 'mcp-proxy', '--', process.execPath, SERVER];
    const direct = await connect([SERVER], {});
    clients.push(direct.client);
    const proxied = await connect(proxy, environment);
    clients.push(proxied.client);
    for (const client of clients) for (let n = 0; n < WARM_UP_CALLS; n += 1) await call(client);
    const added: number[] = [];
    let calls = 0;
    const usedBefore = await used(proxied.pid, instance);
    for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
      const [bare, checked] = await byTurns(clients, options.seconds);
      added.push(checked!.p50 - bare!.p50);
      calls += checked!.count;
      const shown = ({ p50, p99 }: typeof bare & object): string =>
        `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
      print(`${repetition}: direct ${shown(bare!)}; through the proxy ${shown(checked!)}`);
    }
    const usedAfter = await used(proxied.pid, instance);
    const micros = usedAfter.map((seconds, i) => Math.round(((seconds - usedBefore[i]!) * 1e6) / calls));
    print(`on a core for each call: the proxy ${micros[0]} µs, the service ${micros[1]} µs with all that follows`);
    print(aimLine({ what: 'added to a call of a tool, p50 ms, median', figure: median(added), atMost: 2 }));
    const [own, both] = [await starts([SERVER], {}, options), await starts(proxy, environment, options)];
    print(
      `from the start of the process to its first answer, median: server ${own.toFixed(0)} ms, behind the proxy ${both.toFixed(0)} ms`,
    );
    print(aimLine({ what: 'added to the first answer, ms', figure: both - own, atMost: 300 }));
  } finally {
    for (const client of clients) await client.close();
    await instance.stop();
    await folder.remove();
  }
}

/** Environment of a client whose agent has rules for names and for results. */
async function environmentOf(instance: Countersign): Promise<Record<string, string>> {
  const { baseUrl, apiKey, agentId } = instance.bootstrap;
  await json(baseUrl, 'PATCH', `/v1/agents/${agentId}/profile`, await instance.session(), RULES);
  return { COUNTERSIGN_BASE_URL: baseUrl, COUNTERSIGN_API_KEY: apiKey, COUNTERSIGN_AGENT_ID: agentId };
}

async function connect(args: string[], env: Record<string, string>): Promise<{ client: Client; pid: number }> {
  const client = new Client({ name: 'bench', version: '1' });
  const transport = new StdioClientTransport({ command: process.execPath, args, env });
  await client.connect(transport);
  // Like clients: the name of a tool that was not listed is scanned with each call.
  await client.listTools();
  return { client, pid: transport.pid! };
}

/** CPU seconds of both. */
async function used(proxy: number, { child }: Countersign): Promise<[proxy: number, service: number]> {
  return [await cpuSecondsOf(proxy), await cpuSecondsOf(child.pid!)];
}

/** @throws Error unless the tool was called */
async function call(client: Client): Promise<number> {
  const startedAt = performance.now();
  const { isError, content } = await client.callTool({ name: 'echo', arguments: {} });
  const took = performance.now() - startedAt;
  if (isError === true) throw new Error(JSON.stringify(content));
  return took;
}

async function byTurns(
  clients: readonly Client[],
  seconds: number,
): Promise<{ p50: number; p99: number; count: number }[]> {
  const samples = clients.map(() => new Samples());
  let count = 0;
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    count += CALLS_PER_SLICE;
    for (const [index, client] of clients.entries()) {
      for (let n = 0; n < CALLS_PER_SLICE; n += 1) samples[index]!.add(await call(client));
    }
  }
  return samples.map((sample) => ({ ...sample.latencies(), count }));
}

/** Median milliseconds until a newly started process answers. */
async function starts(
  args: readonly string[],
  env: Record<string, string>,
  { repetitions }: BenchOptions,
): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < repetitions; n += 1) {
    const startedAt = performance.now();
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    times.push(performance.now() - startedAt);
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
  }
  return median(times);
}
