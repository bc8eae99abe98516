import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** V8's format; times in µs of the system's monotonic clock. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Location of code, and its purpose; the first match counts. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/\/event-log\/|\/kafkajs\//, 'to Kafka and back'],
  [/\/counters\/|\/ioredis\/|\/redis-parser\/|\/@ioredis\//, 'to Redis and back'],
  [/\/policy-engine\//, 'judging'],
  [/\/evidence\/|\/gateway\/dist\/domain\/check-event/, 'leaf and commitments'],
  [/\/gateway\//, 'gateway: reading, checking, answering'],
];
const ELSEWHERE = 'HTTP and event loop of Node';
const NATIVE = 'native code outside of any function (sockets, polling)';

/** Microseconds of each part between two moments; Node's work inside of a call counts for the caller. */
export type TimeByPart = ReadonlyMap<string, number>;

/** Reads the only profile in the folder. @param fromMicros,toMicros by `process.hrtime` */
export async function profiledTime(folder: string, fromMicros: number, toMicros: number): Promise<TimeByPart> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'));
  if (files.length !== 1) throw new Error(`${files.length} profiles were written, not one`);
  const profile = JSON.parse(await readFile(join(folder, files[0]!), 'utf8')) as CpuProfile;
  return timeByPart(profile, fromMicros, toMicros);
}

export function timeByPart(profile: CpuProfile, fromMicros: number, toMicros: number): TimeByPart {
  const parts = partsOfNodes(profile.nodes);
  const times = new Map<string, number>();
  let at = profile.startTime;
  for (const [i, node] of profile.samples.entries()) {
    at += profile.timeDeltas[i]!;
    // A sample represents the time until the next one.
    const micros = profile.timeDeltas[i + 1] ?? 0;
    const part = parts.get(node);
    if (part === undefined || at < fromMicros || at > toMicros) continue;
    times.set(part, (times.get(part) ?? 0) + micros);
  }
  return new Map([...times].sort(([, a], [, b]) => b - a));
}

/** Without nodes in which the thread slept. */
function partsOfNodes(nodes: CpuProfile['nodes']): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const visit = (id: number, inherited: string): void => {
    const node = byId.get(id)!;
    const part = partOf(node.callFrame, inherited);
    if (part !== null) parts.set(id, part);
    for (const child of node.children ?? []) visit(child, part ?? inherited);
  };
  if (nodes[0] !== undefined) visit(nodes[0].id, ELSEWHERE);
  return parts;
}

function partOf({ functionName, url }: { functionName: string; url: string }, inherited: string): string | null {
  if (functionName === '(idle)') return null;
  if (functionName === '(program)') return NATIVE;
  if (functionName === '(garbage collector)') return 'collecting garbage';
  return PARTS.find(([location]) => location.test(url))?.[1] ?? inherited;
}
