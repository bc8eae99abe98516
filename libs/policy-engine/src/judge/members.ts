import { sameJson } from './same-json.js';
import { readUrl } from '../urls/read-url.js';

/** A member of an action that rules read. */
export type RuledMember = 'tool' | 'url' | 'data_scope' | 'payload' | 'cost';

interface MemberNames {
  /** The name that rules read. */
  readonly right: string;
  /** Format of its value, for callers that sent another member. */
  readonly written: string;
  /**
   * Names that can mean nothing else, as {@link fold} gives them: next to the right one they must hold the same value.
   */
  readonly same: readonly string[];
  /** Names that callers send instead, as {@link fold} gives them. */
  readonly near: RegExp;
}

const CURRENCY = 'usd|dollars?|cents?|eur|euros?|gbp|chf|jpy|cny|inr|cad|aud';
const AMOUNT = 'price|fee|fees|amount|total|charge|spend|expense';
/** A word for an amount spent, with words before it that qualify it, and after it its unit. */
const COST = new RegExp(
  '^(?:estimated|estimate|est|expected|projected|approx|approximate|max|total|grand|net|gross|overall|order|payment|' +
    'transaction|transfer|purchase|refund|invoice|booking|request|call|api|action|tool|us)*' +
    `(?:costs?|${AMOUNT}|${CURRENCY})(?:in|us|${CURRENCY}|micros|estimate|amount|price|total|value)*$`,
);
/** A name of {@link COST} that means money everywhere: `total` and `price` are ordinary data of a payload. */
const MONEY = new RegExp(`costs?|${CURRENCY}`);
const CURRENCY_MEMBER = /^(?:currency|currencycode|isocurrency)$/;

/** One table for all rules: naming a limited member differently does not avoid the limit. */
export const MEMBERS: Readonly<Record<RuledMember, MemberNames>> = {
  tool: {
    right: 'tool_name',
    written: 'by that name',
    same: ['toolname'],
    near: /^(?:toolname|tool|toolid|function|functionname)$/,
  },
  url: {
    right: 'url',
    written: 'by that name, as a full http or https URL,',
    same: ['url', 'uri', 'href'],
    near: /^(?:(?:request|target|api|full|http|endpoint|destination|remote|service)*(?:url|uri)|href|link|endpoint)$/,
  },
  data_scope: {
    right: 'dataScope',
    written: 'by that name',
    same: ['datascope'],
    near: /^(?:data)?scopes?$/,
  },
  payload: {
    right: 'payload',
    written: 'by that name',
    same: ['payload'],
    near: /^(?:payloads?|output|content)$/,
  },
  cost: {
    right: 'estimatedCost',
    written: 'by that name, as a number of US dollars,',
    same: [
      ...['estimatedcost', 'estimatedcosts', 'estimatedcostusd', 'estimatedcostinusd'],
      ...['cost', 'costs', 'costusd', 'costinusd', 'totalcost', 'totalcosts', 'totalcostusd', 'totalcostinusd'],
    ],
    near: COST,
  },
};

/** Names of the address of a call, in addition to those of {@link MEMBERS}: in other actions they are ordinary data. */
const ADDRESS =
  /^(?:target|address|host|hostname|domain|server|destination|endpoint|url|uri|href|link|baseurl|baseuri)e?s?$/;

const READ = new Set(['type', 'url', 'payload', 'metadata', 'dataScope', 'estimatedCost', 'tool_name', 'toolName']);
/** Longer names are none of these, however their words are separated. */
const LONGEST = 40;

/** A member of an action that no rule reads. */
export interface UnreadMember {
  readonly name: string;
  /** As {@link fold} gives it; empty for a name that is longer than any in the table. */
  readonly folded: string;
  readonly value: unknown;
}

/** The action's members that no rule reads. */
export function unreadMembers(action: Readonly<Record<string, unknown>>): readonly UnreadMember[] {
  return Object.keys(action)
    .filter((name) => !READ.has(name))
    .map((name) => unreadMember(name, action[name]));
}

function unreadMember(name: string, value: unknown): UnreadMember {
  return { name, folded: name.length <= LONGEST ? fold(name) : '', value };
}

const BLANK = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

/**
 * Reports whether a value is blank: missing, `null`, a text without visible characters, or an object or list without
 * members.
 */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return BLANK.test(value);
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The name of the first of these that was meant as `member` and is not blank; `null` where there is none. */
export function nearMiss(unread: readonly UnreadMember[], member: RuledMember): string | null {
  const { near } = MEMBERS[member];
  return unread.find(({ folded, value }) => near.test(folded) && !isBlank(value))?.name ?? null;
}

/** The name of the first of these that holds the address of a call; `null` where there is none. */
export function addressOf(unread: readonly UnreadMember[]): string | null {
  return unread.find(({ folded }) => ADDRESS.test(folded))?.name ?? null;
}

/**
 * The first member of an object that states the cost of the action: by a word for costs or a currency, or an amount
 * next to a currency. `null` where there is none, and for other values.
 */
export function moneyIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const members = Object.entries(value)
    .filter(([name, held]) => name.length <= LONGEST && held !== null)
    .map(([name, held]) => unreadMember(name, held));
  const costs = members.filter(({ folded }) => COST.test(folded));
  if (costs.length === 0) return null;
  const inCurrency = members.some(({ folded }) => CURRENCY_MEMBER.test(folded));
  return costs.find(({ folded }) => inCurrency || MONEY.test(folded))?.name ?? null;
}

/**
 * The first of these that can mean nothing else than `member`, and holds another value than all of `given`; `null`
 * where there is none. A member that holds `null` is ignored.
 */
export function contradiction(
  unread: readonly UnreadMember[],
  member: RuledMember,
  given: readonly unknown[],
): string | null {
  const { same } = MEMBERS[member];
  const differs = ({ folded, value }: UnreadMember): boolean =>
    same.includes(folded) && value !== null && value !== undefined && !given.some((one) => agree(member, one, value));
  return unread.find(differs)?.name ?? null;
}

function agree(member: RuledMember, given: unknown, other: unknown): boolean {
  if (sameJson(given, other)) return true;
  if (typeof other !== 'string') return false;
  if (member === 'cost') return typeof given === 'number' && other.trim() !== '' && Number(other) === given;
  return member === 'url' && typeof given === 'string' && isSameUrl(given, other);
}

/** Reports whether every client and server reads the same host and path in both. */
function isSameUrl(one: string, two: string): boolean {
  const first = readUrl(one);
  const second = readUrl(two);
  if (typeof first === 'string' || typeof second === 'string' || !first.plain || !second.plain) return false;
  const { scheme, host, pathname } = first;
  if (scheme !== second.scheme || host !== second.host || pathname !== second.pathname) return false;
  return first.text.split('?')[1] === second.text.split('?')[1];
}

/** The member that a name denotes in any spelling, the right one too; `null` for none. */
export function memberMeant(name: string): RuledMember | null {
  if (name.length > LONGEST) return null;
  const folded = fold(name);
  return (Object.keys(MEMBERS) as RuledMember[]).find((member) => MEMBERS[member].near.test(folded)) ?? null;
}

/** Without case, `_`, `-`, `.` and blanks: `HTTP-Call` and `http_call` are the same. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '');
}
