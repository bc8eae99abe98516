import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly run:
    | 'throughput'
    | 'start-up'
    | 'export'
    | 'export-events'
    | 'distributed'
    | 'scaling'
    | 'detection'
    | 'rules'
    | 'overload'
    | 'fairness'
    | 'windows'
    | 'memory'
    | 'commitments'
    | 'identity'
    | 'client'
    | 'mcp-proxy'
    | 'console';
  /** Per figure; the median counts. */
  readonly repetitions: number;
  /** Per load. */
  readonly seconds: number;
  /** Names of subjects to measure in addition to the bare server. */
  readonly subjects: readonly SubjectName[];
  /** Events stored before a start is timed or an export, or waiting for consumers. */
  readonly events: number;
}

export const SUBJECTS = ['gateway', 'whole-1', 'whole-2'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export const USAGE = `npm run bench -- [--quick] [--subjects ${SUBJECTS.join(',')}] [--repetitions N] [--seconds N]
npm run bench -- --startup [--events N]    time to readiness with N stored events (1,000,000)
npm run bench -- --export [--events N]     time and memory of an export of N events (10,000), and of its verification
npm run bench -- --export-events [--events N]   time and memory of N events as OCSF and CSV (1,000,000)
npm run bench -- --windows [--quick]       closing a window of N events over a tenth as many agents (1,000,000), and proving one
npm run bench -- --memory [--quick]        memory of a gateway with 10,000 agents with the largest profiles, compared with as many without a rule
npm run bench -- --identity [--quick]      registrations per second on MongoDB and SQLite, compared with bare transactions
npm run bench -- --distributed [--quick]   one gateway on Kafka and Redis, compared with the bare server and the embedded gateway
npm run bench -- --scaling [--events N]    1 and 2 gateways; 1, 2 and 4 audit-log processes on N waiting events (20,000)
npm run bench -- --overload [--quick]      gateways of both profiles at 1, 2 and 3 times what they can do
npm run bench -- --fairness [--quick]      one account's checks while another sends 10 times what the gateway can do
npm run bench -- --rules [--quick]         rules with conditions alone, beside published figures; one gateway with every list, compared with none
npm run bench -- --commitments [--quick]   the event of a check and its commitments
npm run bench -- --client [--quick]        a check by the JavaScript client, compared with a bare request
npm run bench -- --mcp-proxy [--quick]     what the proxy of the tool protocol adds to a call, and to a server's start
npm run bench -- --console [--quick] [--events N]    each screen of the console in Chromium with 500 agents and N events (100,000), memory over ten minutes (--quick: one), a slow device
npm run bench -- --detection               how much personal data is found in labelled sentences, and what 10 KB cost
`;

/** @throws Error naming the option to change */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      startup: { type: 'boolean', default: false },
      export: { type: 'boolean', default: false },
      'export-events': { type: 'boolean', default: false },
      distributed: { type: 'boolean', default: false },
      scaling: { type: 'boolean', default: false },
      detection: { type: 'boolean', default: false },
      rules: { type: 'boolean', default: false },
      overload: { type: 'boolean', default: false },
      fairness: { type: 'boolean', default: false },
      windows: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      commitments: { type: 'boolean', default: false },
      identity: { type: 'boolean', default: false },
      'mcp-proxy': { type: 'boolean', default: false },
      client: { type: 'boolean', default: false },
      console: { type: 'boolean', default: false },
      subjects: { type: 'string', default: SUBJECTS.join(',') },
      repetitions: { type: 'string' },
      seconds: { type: 'string' },
      events: { type: 'string' },
    },
  });
  const { quick } = values;
  const runs = (
    [
      'startup',
      'export',
      'export-events',
      'distributed',
      'scaling',
      'detection',
      'rules',
      'overload',
      'fairness',
      'windows',
      'memory',
      'commitments',
      'identity',
      'client',
      'mcp-proxy',
      'console',
    ] as const
  ).filter((name) => values[name]);
  if (runs.length > 1) throw new Error(`take one of ${runs.map((name) => `--${name}`).join(', ')}`);
  const run = runs[0] === 'startup' ? 'start-up' : (runs[0] ?? 'throughput');
  return {
    run,
    repetitions: whole('--repetitions', values.repetitions, quick ? 1 : 5, 25),
    seconds: whole('--seconds', values.seconds, run === 'overload' || run === 'fairness' ? 4 : 2, 60),
    subjects: values.subjects.split(',').map(subject),
    events: whole('--events', values.events, eventsOf(run, quick), 5_000_000),
  };
}

function eventsOf(run: BenchOptions['run'], quick: boolean): number {
  if (run === 'export') return 10_000;
  if (run === 'scaling') return 20_000;
  if (run === 'console') return 100_000;
  return quick ? 50_000 : 1_000_000;
}

function whole(name: string, text: string | undefined, otherwise: number, most: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`${name} takes 1 to ${most}`);
  return value;
}

function subject(name: string): SubjectName {
  const found = SUBJECTS.find((known) => known === name);
  if (found === undefined) throw new Error(`there is no subject ${name}: take ${SUBJECTS.join(', ')}`);
  return found;
}
