import type { Framework, LeafEvent, PackageEvent, SignedPackage } from '@countersign/contracts';

/** Names of the frameworks in headings. */
export const FRAMEWORK_NAMES: Readonly<Record<Framework, string>> = {
  soc2: 'SOC 2 – Trust Services Criteria',
  euaiact: 'EU AI Act – Regulation (EU) 2024/1689',
  hipaa: 'HIPAA – 45 CFR Part 164',
  'sr11-7': 'SR 11-7 – superseded guidance',
  'sr26-2': 'SR 26-2 – alignment by analogy',
  nydfs: 'NYDFS – 23 NYCRR Part 500',
};

/** Longest parts of customers' texts that the document prints, characters; the embedded package has the whole texts. */
export const LIMITS = { name: 120, reason: 600, content: 900 } as const;

/** Short label of an event: its kind, and the decision or outcome. */
export function eventLabel({ type, actionKind, outcome }: LeafEvent): string {
  const kind = type === 'action.checked' ? (actionKind ?? type) : type;
  return outcome === null ? kind : `${kind} ${outcome}`;
}

/** `Gap` for the listing, where a column is narrow. */
export function shortStatus({ status }: PackageEvent): string {
  return status === 'Gap, review required' ? 'Gap' : status;
}

const EXPLORERS: Readonly<Record<string, string>> = {
  'solana:mainnet-beta': '',
  'solana:devnet': '?cluster=devnet',
  'solana:testnet': '?cluster=testnet',
};

/** Link to a transaction in a public explorer; `null` for a network without one. */
export function explorerLink(network: string, signature: string): string | null {
  const query = EXPLORERS[network];
  return query === undefined ? null : `https://explorer.solana.com/tx/${encodeURIComponent(signature)}${query}`;
}

/** The networks with the anchors of a report: those of its windows, and its own. */
export function networksOf({ windows, timestamp }: Pick<SignedPackage, 'windows' | 'timestamp'>): readonly string[] {
  const named = windows.map(({ network }) => network);
  return [...new Set(timestamp.anchor === 'pending' ? named : [...named, timestamp.anchor])].sort();
}

/** `1 event`, `3 events`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
