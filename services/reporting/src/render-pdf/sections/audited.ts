import type { SignedPackage } from '@countersign/contracts';
import type { Flow } from '../flow.js';
import type { Span } from '../spans.js';
import { LIMITS, networksOf } from './wording.js';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const PUBLIC_TESTS = ['solana:devnet', 'solana:testnet'];

/** Rows of the first page: who and what the report is about, the period in words, who made it. */
export function auditedRows(flow: Flow, content: SignedPackage): (readonly (Span | string)[])[] {
  const { audit, range, mapping } = content;
  const shown = (text: string | null): string => (text === null ? 'not declared' : flow.sheet.shown(text, LIMITS.name));
  const period = ['Period', periodText(range)];
  if (audit === undefined) return [period];
  const { organisation, system, environment, preparedBy, mappingReview } = audit;
  const review =
    mappingReview === null
      ? { text: `version ${mapping.version}: not reviewed by a third party`, ink: { face: 'bold' as const } }
      : `version ${mapping.version}: reviewed by ${shown(mappingReview.by)} on ${shown(mappingReview.on)}, as declared by the organisation`;
  return [
    ['Organisation', { text: shown(organisation), ink: { face: 'bold' } }],
    ['System', shown(system)],
    ['Environment', shown(environment)],
    period,
    ['Prepared by', `${shown(preparedBy.name)} (user ${shown(preparedBy.id)}), who exported it`],
    ['Review of the mapping', review],
  ];
}

/** The network of the anchors in large letters, where it is not the public one for use. */
export function drawNetwork(flow: Flow, content: SignedPackage): void {
  for (const network of networksOf(content)) {
    if (network === 'solana:mainnet-beta') continue;
    const known = PUBLIC_TESTS.includes(network);
    flow.paragraph(`${known ? 'TEST NETWORK' : 'LOCAL NETWORK'}: ${network}`, {
      face: 'bold',
      size: 16,
      colour: 'red',
    });
    flow.paragraph(
      known
        ? 'The anchors are on a public network for tests, whose history may be discarded.'
        : 'The anchors are on a network that the operator of the service may run and can rewrite. They prove nothing against its operator.',
    );
  }
}

/** `from 1 March 2026, 00:00 UTC, to 2 March 2026, 12:00 UTC; the end is not included`. */
export function periodText({ from, to }: SignedPackage['range']): string {
  return `from ${momentText(from)} to ${momentText(to)}, which is not included (${from} to ${to})`;
}

function momentText(time: string): string {
  const [, year = '', month = '', day = '', clock = ''] = /^(\d{4})-(\d\d)-(\d\d)T([\d:.]*)Z$/.exec(time) ?? [];
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${year}, ${clock.replace(/(:00)?\.000$/, '')} UTC`;
}
