/** A member of an action that rules read. */
export type RuledMember = 'tool' | 'url' | 'data_scope' | 'payload' | 'cost';

interface MemberNames {
  /** As rules read it. */
  readonly right: string;
  /** What callers send instead, as {@link fold} gives it. */
  readonly near: readonly string[];
}

/** One table for all rules: a limit is not passed by an action that names what is limited otherwise. */
export const MEMBERS: Readonly<Record<RuledMember, MemberNames>> = {
  tool: { right: 'tool_name', near: ['toolname', 'tool', 'toolid', 'function', 'functionname'] },
  url: {
    right: 'url',
    near: ['url', 'uri', 'href', 'link', 'endpoint', 'requesturl', 'requesturi', 'targeturl', 'targeturi', 'apiurl'],
  },
  data_scope: { right: 'dataScope', near: ['datascope', 'datascopes', 'scope', 'scopes'] },
  payload: { right: 'payload', near: ['payload', 'payloads', 'output', 'content'] },
  cost: {
    right: 'estimatedCost',
    near: [
      'estimatedcost',
      'estimatedcosts',
      'estimatedcostusd',
      'estimatedprice',
      'estimatedamount',
      'cost',
      'costs',
      'costusd',
      'costestimate',
      'totalcost',
      'amount',
      'amountusd',
      'price',
      'priceusd',
      'usd',
    ],
  },
};

const READ = new Set(['type', 'url', 'payload', 'metadata', 'dataScope', 'estimatedCost', 'tool_name', 'toolName']);
const BY_NAME = new Map(
  (Object.keys(MEMBERS) as RuledMember[]).flatMap((member) => MEMBERS[member].near.map((name) => [name, member])),
);
/** No name of the table is longer, however its words are set apart. */
const LONGEST = 24;

/** Names of the action's members that no rule reads. */
export function unreadMembers(action: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(action).filter((name) => !READ.has(name));
}

/** The first of these names that was meant as `member`: one of the table, in another spelling; `null` where there is none. */
export function nearMiss(unread: readonly string[], member: RuledMember): string | null {
  return unread.find((name) => name.length <= LONGEST && BY_NAME.get(fold(name)) === member) ?? null;
}

/** Without case, `_`, `-`, `.` and blanks: `HTTP-Call` and `http_call` are the same. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '');
}
