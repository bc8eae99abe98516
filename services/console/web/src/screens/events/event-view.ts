/** Columns of the list that a reader can leave out; time and outcome are always shown. */
export const COLUMNS = ['agent', 'action', 'reason', 'rule', 'number', 'proof'] as const;
export type ColumnName = (typeof COLUMNS)[number];

export const DENSITIES = ['comfortable', 'compact'] as const;
export type Density = (typeof DENSITIES)[number];

/** How the list of events looks, apart from its filters. */
export interface EventView {
  readonly columns: readonly ColumnName[];
  readonly density: Density;
}

/** Every column but `rule`: the reason names it. */
export const DEFAULT_VIEW: EventView = { columns: columnsAmong(COLUMNS, 'rule'), density: 'comfortable' };

/** Least width of a column, px, and its share of what remains; without a share it has that width. */
const WIDTHS: Readonly<Record<ColumnName, readonly [least: number, share?: number]>> = {
  agent: [80, 1],
  action: [120, 2],
  reason: [120, 2],
  rule: [96, 1],
  number: [72],
  proof: [100],
};
const TIME = 176;
const OUTCOME = 132;
const CHECK = 24;
const GAP = 12;
const PADDING = 32;
/** Those that stay where there is no room for all. */
const FIRST_KEPT = ['agent', 'action', 'proof', 'reason', 'rule', 'number'] as const satisfies readonly ColumnName[];
/** Columns of a row that is drawn in several lines. */
const MOST_LINES = 2;

/** Known columns in their order, each once. @param without one that is left out */
export function columnsAmong(names: readonly string[], without?: ColumnName): readonly ColumnName[] {
  return COLUMNS.filter((name) => name !== without && names.includes(name));
}

/** The view that an address names, as one that was shared does. What it does not name is as in this browser. */
export function viewOf(query: URLSearchParams, { columns, density }: EventView): EventView {
  const named = query.get('columns');
  return {
    columns: named === null ? columns : columnsAmong(named.split(',')),
    density: DENSITIES.find((one) => one === query.get('density')) ?? density,
  };
}

/** The members of an address that give this view; `time` stands for the columns that are always shown. */
export function viewQuery({ columns, density }: EventView): Readonly<Record<string, string>> {
  return { columns: ['time', ...columns].join(','), density };
}

/** The members of an address that name a view, unchanged: they stay while filters and selection change. */
export function viewMembers(query: URLSearchParams): Readonly<Record<string, string | null>> {
  return { columns: query.get('columns'), density: query.get('density') };
}

/** The columns for which there is room. @param width of the list, px */
export function fitting(columns: readonly ColumnName[], width: number, isNarrow: boolean): readonly ColumnName[] {
  const byRank = FIRST_KEPT.filter((name) => columns.includes(name));
  if (isNarrow) return columnsAmong(byRank.slice(0, MOST_LINES));
  let rest = width - PADDING - CHECK - TIME - OUTCOME - 2 * GAP;
  const kept: ColumnName[] = [];
  for (const name of byRank) {
    rest -= WIDTHS[name][0] + GAP;
    if (rest < 0) break;
    kept.push(name);
  }
  return columnsAmong(kept);
}

/** For `grid-template-columns`. @param hasCheck the first column has a box for each row */
export function templateOf(columns: readonly ColumnName[], hasCheck: boolean): string {
  const tracks = columns.map((name) => {
    const [least, share] = WIDTHS[name];
    return share === undefined ? `${least}px` : `minmax(${least}px, ${share}fr)`;
  });
  return [...(hasCheck ? [`${CHECK}px`] : []), `${TIME}px`, `${OUTCOME}px`, ...tracks].join(' ');
}
