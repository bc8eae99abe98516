import { isAccountStream } from '@countersign/contracts';
import type { PackageWindow, SignedPackage } from '@countersign/contracts';
import type { Flow } from '../flow.js';
import { runsText, type ReportFacts } from '../report-facts.js';
import type { Span } from '../spans.js';
import { counted, explorerLink, LIMITS } from './wording.js';

const AGENTS = [
  { title: 'Agent', share: 8 },
  { title: 'Name and id', share: 48 },
  { title: 'First', share: 12 },
  { title: 'Last', share: 12 },
  { title: 'Count', share: 12 },
  { title: 'Missing', share: 14 },
  { title: 'Anchored', share: 13 },
];

/** Section 3: each agent's run of sequence numbers, counted from the entries. */
export function drawCompleteness(flow: Flow, { range }: SignedPackage, { agents }: ReportFacts): void {
  flow.heading(2, '3  Completeness', true);
  flow.paragraph(
    'Each agent’s events carry consecutive numbers. The table was counted from the entries of this report: “missing” names every number between the first and the last that no entry has. The trees of the anchored windows bind the count of each agent in each window, so that an entry left out is noticed by anyone who verifies the package.',
  );
  flow.table(
    AGENTS,
    agents.map(({ label, agent, runs, missing, count, anchored }) => [
      { text: label, ink: { face: 'bold' } },
      `${flow.sheet.shown(agent.name, LIMITS.name)} – ${agent.id}, ${agent.status}${agent.blockchain_ssn === null ? '' : `, ${agent.blockchain_ssn}`}`,
      count === 0 ? '–' : `${runs[0]!.first}`,
      count === 0 ? '–' : `${runs.at(-1)!.last}`,
      `${count}`,
      missing.length === 0 ? { text: 'none' } : { text: runsText(missing), ink: { face: 'bold', colour: 'red' } },
      `${anchored}`,
    ]),
  );
  if (agents.some(({ agent }) => isAccountStream(agent.id)))
    flow.paragraph(
      'P is no agent: its events are what the people of the account did, such as sign-ins and changes of users and keys, in a sequence of their own.',
      { size: 8, colour: 'grey' },
    );
  if (agents.some(({ count }) => count === 0))
    flow.paragraph(
      `“–”: the report holds no event of the agent from ${range.from} to ${range.to}; what that proves is in section 2.`,
      { size: 8, colour: 'grey' },
    );
}

const WINDOWS = [
  { title: 'Window', share: 35 },
  { title: 'Agents and numbers', share: 23 },
  { title: 'Root of the window', share: 34 },
  { title: 'Transaction', share: 44 },
];

/** Section 7: the transactions that hold the roots, each once, with the agents that the report has in it. */
export function drawAnchors(flow: Flow, content: SignedPackage, { agents }: ReportFacts): void {
  flow.heading(2, '7  Anchors on the chain', true);
  const labels = new Map(agents.map(({ agent, label }) => [agent.id, label]));
  const blocks = new Map(
    content.agents.flatMap(({ anchors }) => anchors.map((one) => [one.chain_tx_signature, one.chain_block_height])),
  );
  const byTransaction = new Map<string, PackageWindow[]>();
  for (const window of content.windows) {
    const known = byTransaction.get(window.txSignature);
    if (known === undefined) byTransaction.set(window.txSignature, [window]);
    else known.push(window);
  }
  for (const { address, network, validFrom, validTo } of content.anchorAuthorities) {
    flow.paragraph(
      `Anchoring authority ${address} on ${network}, valid from ${validFrom ?? 'its beginning'}${validTo === null ? '' : ` to ${validTo}`}.`,
    );
  }
  if (byTransaction.size === 0) {
    flow.paragraph('No window of this report had a finalized transaction when it was issued.');
    return;
  }
  flow.paragraph(
    `${counted(byTransaction.size, 'transaction')}. Each holds “countersign/1 root=… prev=… window=… agents=… events=…” as its memo and must be signed by the authority above.`,
  );
  flow.table(
    WINDOWS,
    [...byTransaction].map(([signature, windows]) => {
      const { windowStart, windowEnd, merkleRoot, network } = windows[0]!;
      return [
        `${windowStart} to ${windowEnd}`,
        windows
          .map(
            ({ agentId, leaf }) =>
              `${labels.get(agentId) ?? '?'}:\u00a0${runsText([{ first: leaf.firstSequence, last: leaf.lastSequence }])}`,
          )
          .join('; '),
        { text: merkleRoot, ink: { face: 'mono', size: 6.5 } },
        transactionSpan(network, signature, blocks.get(signature) ?? null),
      ];
    }),
  );
}

/** A transaction, linked to a public explorer if its network has one. */
export function transactionSpan(network: string, signature: string, block: number | null): Span {
  const link = explorerLink(network, signature);
  const text = `${signature} (${network}${block === null ? '' : `, block ${block}`})`;
  return { text, ink: { face: 'mono', size: 6.5 }, ...(link === null ? {} : { link }) };
}
