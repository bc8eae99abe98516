import { isAccountEvent, isAccountStream } from './account-events.js';
import type { EventRecord, ListedAction } from '@countersign/contracts';
import { asWords } from '../../words/en.js';

export type Tone = 'good' | 'bad' | 'held' | 'plain';

const BAD: ReadonlySet<string> = new Set(['denied', 'frozen', 'failed']);
const HELD: ReadonlySet<string> = new Set(['sandbox_expired', 'action_cap', 'skipped']);
const GOOD: ReadonlySet<string> = new Set(['allowed', 'succeeded']);

/** The outcome, or for an event without one its type, and how it is coloured. */
export function outcomeOf({ outcome, type, allowed, violation_type }: EventRecord): {
  readonly label: string;
  readonly tone: Tone;
} {
  if (outcome === null) return { label: asWords(type), tone: 'plain' };
  // A profile in observe mode: what would have been denied.
  if (outcome === 'allowed' && allowed === true && violation_type !== null) return { label: 'observed', tone: 'held' };
  const tone = BAD.has(outcome) ? 'bad' : HELD.has(outcome) ? 'held' : GOOD.has(outcome) ? 'good' : 'plain';
  return { label: asWords(outcome), tone };
}

/** One line that names the action of an event; `null` if nothing is stored of it. */
export function actionLine({ action, type }: EventRecord): string | null {
  if (action === null) return null;
  if (isAccountEvent(type)) return accountLine(action) ?? oneLine(action);
  if (type !== 'action.checked') return oneLine(action);
  const { type: kind, url, tool_name: tool, dataScope } = action as ListedAction;
  const target = [tool, url, dataScope].find((one): one is string => typeof one === 'string' && one !== '');
  const kindText = typeof kind === 'string' ? kind : null;
  if (target === undefined) return kindText ?? oneLine(action);
  return kindText === null ? target : `${kindText}  ${target}`;
}

/** The user, key, report, series or receiver that an event of the account is about, and the IP address. */
function accountLine(action: unknown): string | null {
  const { user, key, report, series, to, address } = action as {
    readonly user?: { readonly email?: unknown };
    readonly key?: { readonly name?: unknown };
    readonly report?: { readonly id?: unknown };
    readonly series?: { readonly id?: unknown };
    readonly to?: unknown;
    readonly address?: unknown;
  };
  const about = [user?.email, key?.name, report?.id, series?.id, to, address];
  const parts = about.filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : oneLine(parts.join('  '));
}

/** The action of a check as it was sent: a record names what was left out by `null`. */
export function sentAction(action: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(action as object).filter(([, value]) => value !== null));
}

function oneLine(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, 400);
}

/** An event as a sentence that names the agent. */
export function sentenceOf(event: EventRecord, agent: string): string {
  const { type, outcome } = event;
  if (type === 'action.outcome') return `${agent} reported that the action ${asWords(outcome ?? 'ended')}.`;
  if (type === 'action.unanswered') return `A check of ${agent} was not answered in time.`;
  if (type !== 'action.checked') return `${agent}: ${asWords(type)}.`;
  const { label } = outcomeOf(event);
  const acts: Readonly<Record<string, string>> = {
    allowed: `${agent} was allowed to act.`,
    observed: `${agent} was allowed to act; in enforce mode this would have been denied.`,
    denied: `${agent} was denied.`,
    frozen: `${agent} is frozen, so the check was refused.`,
    'sandbox expired': `The sandbox had expired, so the check of ${agent} was refused.`,
    'action cap': `The plan’s cap was reached, so the check of ${agent} was refused.`,
  };
  return acts[label] ?? `${agent}: ${label}.`;
}

/** The name of an agent, or of the account's trail; before names are known, the beginning of its id. */
export function agentName(id: string, names: ReadonlyMap<string, string>): string {
  return names.get(id) ?? (isAccountStream(id) ? 'People of the account' : `${id.slice(0, 8)}…`);
}
