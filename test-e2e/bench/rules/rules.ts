import { join } from 'node:path';
import type { Target } from '../load/job.js';
import { LoadGenerator } from '../load/load-generator.js';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { Countersign, temporaryFolder } from '../subjects/countersign.js';
import { json, open } from '../subjects/http.js';
import { cpuSecondsOf } from '../subjects/process-figures.js';
import { canPin } from '../subjects/program.js';
import { checkRequests } from '../subjects/requests.js';
import { aimLine } from '../throughput/report.js';
import { judging } from './judging.js';

const AGENTS = 16;
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const MAX_REQUESTS = 2_000_000;
const KINDS = ['credit_card', 'email', 'phone', 'us_ssn', 'us_itin', 'iban', 'ip_address', 'mac_address'];

const entries = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Every rule with this many entries in each list, all of which the requests of the load pass. */
function everyRule(count: number): object {
  return {
    allowed_apis: [
      '*.airline.example',
      'update_reservation_baggages',
      ...entries(count - 2, (i) => `https://h${i % 20}.example.com/v${i}/`),
    ],
    blocked_apis: entries(count, (i) => (i % 2 === 0 ? `*.blocked${i}.example` : `tool${i}.*`)),
    spending_limit: 1_000_000_000,
    spending_window: 'month',
    rate_limit: { max: 100_000, per_seconds: 1 },
    off_limits_actions: entries(count, (i) => `delete_${i}_*`),
    allowed_actions: ['http_call', ...entries(count - 1, (i) => `crm.${i}`)],
    blocked_data_scopes: entries(count, (i) => `pii.${i}.*`),
    output_rules: {
      blocked_pii: [...KINDS, 'crypto_wallet', 'uk_nhs'],
      block_secrets: true,
      blocked_topics: entries(count, (i) => `forbidden topic number ${i}`),
      max_length: 100_000,
    },
  };
}

const PROFILES = [
  { name: 'no rule', rules: {} },
  { name: 'every rule, 100 entries a list', rules: everyRule(100) },
] as const;

/**
 * Prints the time in which rules are judged, and the rate of a gateway alone for agents with every list, relative to agents
 * with none.
 */
export async function rules(options: BenchOptions, print: (line: string) => void): Promise<void> {
  await judging(print);
  const core = canPin() ? 0 : undefined;
  const folder = await temporaryFolder();
  const generator = new LoadGenerator(canPin() ? 1 : undefined);
  const dataDir = join(folder.path, 'data');
  const whole = await Countersign.start({ dataDir, core });
  const groups = [await agents(whole, PROFILES[0].rules), await agents(whole, PROFILES[1].rules)];
  await whole.stop();
  const gateway = await Countersign.start({ dataDir, core, gatewayOnly: true });
  try {
    for (const [index, group] of groups.entries()) await passes(gateway, group[0]!, index === 1 ? 'governed' : 'none');
    const targets = groups.map((agentIds) => targetOf(gateway, agentIds));
    const run = async (target: Target, seconds: number): Promise<{ perSecond: number; cpuMicros: number }> => {
      const before = await cpuSecondsOf(gateway.child.pid!);
      const load = { kind: 'closed', connections: CONNECTIONS } as const;
      const { answered, perSecond, failures } = await generator.run({
        target,
        load,
        seconds,
        maxRequests: MAX_REQUESTS,
      });
      if (Object.keys(failures).length > 0) throw new Error(`not answered 200: ${JSON.stringify(failures)}`);
      return { perSecond, cpuMicros: (((await cpuSecondsOf(gateway.child.pid!)) - before) * 1e6) / answered };
    };
    for (const target of targets) await run(target, WARM_UP_SECONDS);
    const rates: number[] = [];
    const costs: number[] = [];
    for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
      const [none, every] = [await run(targets[0]!, options.seconds), await run(targets[1]!, options.seconds)];
      rates.push(every.perSecond / none.perSecond);
      costs.push(every.cpuMicros - none.cpuMicros);
      const shown = ({ perSecond, cpuMicros }: typeof none): string =>
        `${perSecond.toFixed(0)} a second, ${cpuMicros.toFixed(0)} µs of a core each`;
      print(`${repetition}: ${PROFILES[0].name} ${shown(none)}; ${PROFILES[1].name} ${shown(every)}`);
    }
    print(`more time on a core for each check, median: ${median(costs).toFixed(1)} µs`);
    const what = `${PROFILES[1].name}, of the rate with ${PROFILES[0].name}, closed loop ${CONNECTIONS}`;
    print(aimLine({ what, figure: median(rates), atLeast: 0.9 }));
  } finally {
    generator.stop();
    await gateway.stop();
    await folder.remove();
  }
}

async function agents(instance: Countersign, profile: object): Promise<string[]> {
  const { baseUrl } = instance.bootstrap;
  const session = await instance.session();
  const ids: string[] = [];
  for (let i = 0; i < AGENTS; i += 1) {
    const { id } = await json<{ id: string }>(baseUrl, 'POST', '/v1/agents', session, { name: `Agent ${i}` });
    if (Object.keys(profile).length > 0) {
      await json(baseUrl, 'PATCH', `/v1/agents/${id}/profile`, session, profile);
    }
    ids.push(id);
  }
  return ids;
}

/** @throws Error unless the request of the load is allowed, and judged by rules or not, as expected */
async function passes({ bootstrap }: Countersign, agentId: string, coverage: string): Promise<void> {
  const [, body] = checkRequests({ ...bootstrap, agentIds: [agentId] })[0]!.split('\r\n\r\n');
  const asked = { 'x-service-key': bootstrap.apiKey };
  const { headers, stream } = await open(bootstrap.baseUrl, 'POST', '/v1/check', asked, JSON.parse(body!));
  const answer = Buffer.concat((await stream.toArray()) as Buffer[]).toString('utf8');
  if (answer !== '{"allowed":true}' || headers['x-policy-coverage'] !== coverage) throw new Error(answer);
}

function targetOf({ bootstrap }: Countersign, agentIds: readonly string[]): Target {
  const { hostname, port } = new URL(bootstrap.baseUrl);
  return { host: hostname, port: Number(port), requests: checkRequests({ ...bootstrap, agentIds }) };
}
