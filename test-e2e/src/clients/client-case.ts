import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ActionDeniedError, Countersign, CountersignError } from '@countersign/client';
import type {
  Action,
  AgentRecord,
  CheckResult,
  CountersignOptions,
  NewAgent,
  OutcomeReport,
} from '@countersign/client';
import type { Played } from './fault-server.js';

/** A case that every client passes: `client-cases/README.md`. */
export interface ClientCase {
  readonly name: string;
  readonly agent?: { readonly profile?: object; readonly state?: 'frozen' | 'inactive' };
  readonly answers?: readonly Played[];
  readonly client?: Partial<CountersignOptions>;
  readonly call?: 'check' | 'guard' | 'scan' | 'reportOutcome' | 'register';
  readonly action?: Action;
  readonly text?: string;
  readonly report?: OutcomeReport;
  readonly register?: NewAgent;
  readonly times?: number;
  readonly fails?: boolean;
  readonly expect: Readonly<Record<string, unknown>>;
}

const FOLDER = fileURLToPath(new URL('../../client-cases/', import.meta.url));

export function casesOf(file: 'service.json' | 'faults.json'): readonly ClientCase[] {
  return (JSON.parse(readFileSync(FOLDER + file, 'utf8')) as { cases: ClientCase[] }).cases;
}

/** What came of a case, in the words of its `expect`. */
export interface Happened {
  readonly results: readonly CheckResult[];
  readonly thrown: unknown;
  readonly executed: boolean;
  readonly denied: number;
  readonly reportsFailed: number;
  readonly registered: AgentRecord | null;
}

/** What an executed action throws where a case says that it fails. */
class Failed extends Error {
  override readonly name = 'Failed';
}

/** Makes the calls of a case with a client of its own. */
export async function happens(one: ClientCase, place: CountersignOptions): Promise<Happened> {
  let [executed, denied, reportsFailed] = [false, 0, 0];
  const client = new Countersign({
    ...place,
    ...one.client,
    onDenied: () => void (denied += 1),
    onReportFailed: () => void (reportsFailed += 1),
  });
  const results: CheckResult[] = [];
  let registered: AgentRecord | null = null;
  const times = one.times ?? 1;
  const again = times > 1 ? { idempotencyKey: randomUUID() } : {};
  const execute = (): string => {
    executed = true;
    if (one.fails === true) throw new Failed('the action failed');
    return 'done';
  };
  const call = async (): Promise<unknown> => {
    switch (one.call ?? 'check') {
      case 'check':
        return results.push(await client.check(one.action!, again));
      case 'scan':
        return results.push(await client.scan(one.text!));
      case 'reportOutcome':
        return client.reportOutcome(one.report!);
      case 'register':
        return (registered = await client.register(one.register!));
      case 'guard':
        return client.guard(one.action!, execute);
    }
  };
  let thrown: unknown = null;
  for (let n = 0; n < times; n++) {
    try {
      await call();
    } catch (error) {
      thrown = error;
      if (error instanceof ActionDeniedError) results.push(error.result);
    }
  }
  return { results, thrown, executed, denied, reportsFailed, registered };
}

/** The members that a case expects of the call itself, as they came; `"*"` where any text was expected and there is one. */
export function toldOf({ expect: expected }: ClientCase, happened: Happened): Readonly<Record<string, unknown>> {
  const last = happened.results.at(-1) as Readonly<Record<string, unknown>> | undefined;
  const failure = happened.thrown instanceof CountersignError ? happened.thrown : happened.results.at(-1)?.error;
  const ids = new Set(happened.results.map(({ eventId }) => eventId));
  const told: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(expected)) {
    if (name === 'error') {
      const { code, details } = failure ?? { code: null, details: {} };
      const members = { code, status: details.status ?? null, retryAfterMs: details.retryAfterMs ?? null };
      told[name] = Object.fromEntries(Object.keys(value as object).map((key) => [key, members[key as 'code']]));
    } else if (name === 'registered') {
      const agent = happened.registered as Readonly<Record<string, unknown>> | null;
      const members = Object.entries(value as object).map(([key, told]) => [key, shown(told, agent?.[key])]);
      told[name] = Object.fromEntries(members);
    } else if (name === 'reasonHas') {
      told[name] = (value as string[]).map((part) =>
        (last?.['reason'] as string).includes(part) ? part : last?.['reason'],
      );
    } else if (name === 'throws') told[name] = (happened.thrown as Error | null)?.name ?? null;
    else if (name === 'executed' || name === 'denied' || name === 'reportsFailed') told[name] = happened[name];
    else if (value === 'same')
      told[name] = ids.size === 1 && !ids.has(undefined) && happened.results.length > 1 ? 'same' : ids;
    else if (MEMBERS.has(name)) told[name] = shown(value, last?.[name]);
  }
  return told;
}

const MEMBERS: ReadonlySet<string> = new Set(
  (
    'allowed violations violationType rule severity category piiKind matchedTopic length ' +
    'coverage upgradeUrl failedOpen wouldDeny idempotentReplay reason eventId'
  ).split(' '),
);

/** What of `expect` {@link toldOf} does not tell: the server's side. */
export const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'requests',
  'sentAction',
  'sentReport',
  'sentAgent',
  'idempotencyKeys',
]);

function shown(expected: unknown, value: unknown): unknown {
  if (expected === '*') return typeof value === 'string' && value !== '' ? '*' : value;
  return value ?? null;
}
