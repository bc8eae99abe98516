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

/** A case for all clients: `client-cases/README.md`. */
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

/** The result of a case, with the members of its `expect`. */
export interface Happened {
  readonly results: readonly CheckResult[];
  readonly thrown: unknown;
  readonly executed: boolean;
  readonly denied: number;
  readonly reportsFailed: number;
  readonly registered: AgentRecord | null;
}

/** Thrown by an executed action if a case says that it fails. */
class Failed extends Error {
  override readonly name = 'Failed';
}

/** Makes the calls of a case with a new client. */
export async function happens(one: ClientCase, target: CountersignOptions): Promise<Happened> {
  let [executed, denied, reportsFailed] = [false, 0, 0];
  const client = new Countersign({
    ...target,
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

/** The actual values of the members that a case expects of the call; `"*"` if any text was expected and there is one. */
export function resultOf({ expect: expected }: ClientCase, happened: Happened): Readonly<Record<string, unknown>> {
  const last = happened.results.at(-1) as Readonly<Record<string, unknown>> | undefined;
  const failure = happened.thrown instanceof CountersignError ? happened.thrown : happened.results.at(-1)?.error;
  const ids = new Set(happened.results.map(({ eventId }) => eventId));
  const actual: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(expected)) {
    if (name === 'error') {
      const { code, details } = failure ?? { code: null, details: {} };
      const members = { code, status: details.status ?? null, retryAfterMs: details.retryAfterMs ?? null };
      actual[name] = Object.fromEntries(Object.keys(value as object).map((key) => [key, members[key as 'code']]));
    } else if (name === 'registered') {
      const agent = happened.registered as Readonly<Record<string, unknown>> | null;
      const members = Object.entries(value as object).map(([key, wanted]) => [key, shown(wanted, agent?.[key])]);
      actual[name] = Object.fromEntries(members);
    } else if (name === 'reasonHas') {
      actual[name] = (value as string[]).map((part) =>
        (last?.['reason'] as string).includes(part) ? part : last?.['reason'],
      );
    } else if (name === 'throws') actual[name] = (happened.thrown as Error | null)?.name ?? null;
    else if (name === 'executed' || name === 'denied' || name === 'reportsFailed') actual[name] = happened[name];
    else if (value === 'same')
      actual[name] = ids.size === 1 && !ids.has(undefined) && happened.results.length > 1 ? 'same' : ids;
    else if (MEMBERS.has(name)) actual[name] = shown(value, last?.[name]);
  }
  return actual;
}

const MEMBERS: ReadonlySet<string> = new Set(
  (
    'allowed violations violationType rule severity category piiKind matchedTopic length ' +
    'coverage upgradeUrl failedOpen wouldDeny idempotentReplay reason eventId decision nextAction patch missing'
  ).split(' '),
);

/** Members of `expect` that {@link resultOf} omits: the server's side. */
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
