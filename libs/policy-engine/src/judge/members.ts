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

/** The name of a member of the action that was meant as `member`; `null` where there is none. It is one of the table, in another spelling. */
export function nearMiss(action: Readonly<Record<string, unknown>>, member: RuledMember): string | null {
  for (const name of Object.keys(action)) {
    if (!READ.has(name) && name.length <= LONGEST && BY_NAME.get(fold(name)) === member) return name;
  }
  return null;
}

/** Without case, `_`, `-`, `.` and blanks: `HTTP-Call` and `http_call` are the same. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[_\-. ]/g, '');
}
