import { number } from './en.js';

/** Texts of the screen of health. */
export const healthWords = {
  title: 'Health',
  state: 'State',
  ready: 'Decisions',
  isReady: 'Ready',
  notReady: 'Not ready',
  unknown: 'Not known',
  feed: 'Live updates',
  feedStates: { connecting: 'Connecting', live: 'Live', waiting: 'Lost' },
  anchoring: 'Anchoring',
  onTime: 'On time',
  late: 'Late',
  nothing: 'No event yet',
  readinessFailed: 'Readiness could not be read',
  anchoringFailed: 'The state of anchoring could not be read',
  lateLead: (due: string) =>
    `An event was due on the chain at ${due} and is not there. Checks continue, and events are stored; they are anchored once the chain is reached again.`,
  facts: {
    cadence: 'A window closes every',
    seconds: (count: number) => `${number(count)} s`,
    events: 'Events',
    unanchored: 'Not anchored yet',
    oldest: 'Oldest of them',
    due: 'Due by',
    newest: 'Newest window',
    root: 'Merkle root',
    transaction: 'Transaction',
    networks: 'Network',
  },
  local:
    'These anchors are on a network that this installation runs itself: they prove nothing against its operator. Set SOLANA_RPC_URL to anchor on a public network.',
  complete: 'Completeness',
  completeLead:
    'Events of an agent are numbered without a gap, and each anchored window holds one run of these numbers. The line is the numbers from first to last: blue is anchored, grey is not yet, red is missing.',
  completeFailed: 'Completeness could not be read',
  none: 'No agents yet',
  columns: {
    agent: 'Agent',
    numbers: 'Numbers',
    strip: 'From first to last',
    anchored: 'Anchored to',
    windows: 'Windows',
    state: 'State',
  },
  whole: 'No gap',
  empty: 'No events',
  missing: (count: number) => `${number(count)} missing`,
  gap: ({ first, last }: { readonly first: number; readonly last: number }) =>
    first === last ? `${number(first)} in no window` : `${number(first)} to ${number(last)} in no window`,
  stripText: (first: number, last: number, through: number, gaps: number) =>
    `${number(first)} to ${number(last)}, anchored to ${number(through)}, ${gaps === 0 ? 'no gap' : gaps === 1 ? '1 gap' : `${number(gaps)} gaps`}`,
} as const;
