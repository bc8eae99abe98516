import type { SignedPackage } from '@countersign/contracts';
import type { Flow } from '../flow.js';
import { counted, networksOf } from './wording.js';

/** Sections 1 and 2: how the report was produced, and what it does not prove. */
export function drawMethod(flow: Flow, content: SignedPackage): void {
  flow.heading(2, '1  How this report was produced', true);
  flow.numbered([
    'An agent asks the service before it acts. The service judges the action by the agent’s behaviour profile, writes the decision to a durable log, and only then answers. A decision that cannot be written is refused.',
    'Each decision is a leaf: a record of what was decided, by which version of which profile, and when. It holds pseudonyms and salted commitments, never the content of the action. Where the content was kept and is shown here, it opens its commitment.',
    'The leaves of one agent are numbered from 1 in the order of the log, without a gap. This report holds, for each agent, every number from the first to the last event of the period; what other clocks put between them is included and marked.',
    'The leaves of a window of time are hashed into one Merkle tree for each agent (RFC 6962), the roots of the agents into one tree for the window, and that root is written to a Solana network, which section 7 names, in one transaction, which also names the root before it.',
    'The report is one JSON document in canonical form (RFC 8785), signed with Ed25519. The hash of its content was sent to the same chain in a transaction of its own.',
    'This PDF was drawn from that JSON document and from nothing else, and the JSON document is embedded in it as “countersign-package.json”. All times, names and figures are its own. A text that is cut on a page says by how much; the embedded document has it whole. Where a page and the embedded document differ, the embedded document counts.',
  ]);
  flow.heading(2, '2  What this report does not prove');
  flow.numbered(limits(content));
}

function limits(content: SignedPackage): string[] {
  const { summary, events, range, timestamp } = content;
  const { reported, of } = summary.outcomes;
  const erased = events.filter((entry) => entry.erased === true).length;
  const outside = events.filter((entry) => entry.outsideRange === true).length;
  return [
    'An action that was never sent to the service is not recorded: the report is complete for what was checked, not for what was done.',
    'Statuses describe individual events. They are not an opinion on the design or operating effectiveness of any control and not a certification under any framework.',
    `“Prevented” says that the service refused and that nothing but “skipped” was reported. What became of an action is known only where its outcome was reported: here for ${reported} of ${counted(of, 'check')}.`,
    'The time of an event is that of the service’s own clock. The chain proves the latest time by which it was recorded, not the earliest.',
    ...networksOf(content).flatMap(networkLimit),
    ...(summary.unanchored === 0
      ? []
      : [
          `${counted(summary.unanchored, 'event')} had no finalized transaction when this was issued: only the signature of the issuer vouches for ${summary.unanchored === 1 ? 'it' : 'them'}.`,
        ]),
    ...(timestamp.issued_at >= range.to
      ? []
      : [`The period ends after the report was issued at ${timestamp.issued_at}: what came later is not in it.`]),
    'Between the first and the last event of an agent no number is missing. That the period holds none before the first and none after the last is the issuer’s word; where an anchored window has such numbers, a verifier names them.',
    'That an agent which is not listed, or is listed without an event, had none cannot be read from this report: the operator’s proofs of absence show it, for one anchored window each.',
    'Which control an event speaks to is the mapping’s reading of the framework; the titles of controls are short titles of our own. Whether an event is evidence for a control is for the auditor to say.',
    ...(erased === 0
      ? []
      : [`The content of ${counted(erased, 'event')} was erased: what was decided and its proof remain.`]),
    ...(outside === 0
      ? []
      : [
          `${counted(outside, 'event')} with a time outside of the period ${outside === 1 ? 'is' : 'are'} included, since the order of the log puts ${outside === 1 ? 'it' : 'them'} between events of the period.`,
        ]),
    'The PDF is not signed itself: its SHA-256 was recorded when it was issued, and section 8 says how to compare it.',
  ];
}

/** Limits of an anchor on a network other than the public one. */
function networkLimit(network: string): string[] {
  switch (network) {
    case 'solana:mainnet-beta':
      return [];
    case 'solana:devnet':
    case 'solana:testnet':
      return [`The anchors are on ${network}, a public network for tests: its history may be discarded.`];
    default:
      return [
        `The anchors are on ${network}, which is no public network: the operator of the service may run it as well, and can rewrite it. They prove nothing against its operator.`,
      ];
  }
}
