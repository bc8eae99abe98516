import { isAccountStream } from '@countersign/contracts';
import type {
  AnchorAuthority,
  ArchivedEvent,
  ComplianceScope,
  InclusionProof,
  LeafEvent,
  PackageAgent,
  PackageAudit,
  PackageContent,
  PackageEvent,
  PackageWindow,
  ProofSource,
} from '@countersign/contracts';
import {
  assemblePackage,
  COMMITMENT_KINDS,
  fromHex,
  MerkleTree,
  oversightOf,
  proofFor,
  unanchored,
  type EvidenceCrypto,
} from '@countersign/evidence';
import type { ControlMapping } from '../mapping/control-mapping.js';
import { statementsFor } from '../mapping/statements.js';
import { assessEvent } from './assess-event.js';
import type { AgentRun } from './collect-events.js';
import type { ExportRequest } from './request.js';
import { shownOpenings } from './shown-openings.js';
import type { ListedAgent } from './trail.js';

/** Page size of {@link ProofSource}: a window may hold more leaves of an agent. */
const MOST_HASHES = 100_000;

/** The input of a report, read before anything is built. */
export interface ReportSources {
  readonly reportId: string;
  readonly request: ExportRequest;
  /** In the order of the report; `runs[i]` belongs to `agents[i]`. */
  readonly agents: readonly ListedAgent[];
  readonly runs: readonly AgentRun[];
  readonly referring: ReadonlyMap<string, readonly ArchivedEvent[]>;
  /** The checks that outcomes in the runs refer to, by id, also those outside of the runs. */
  readonly referred: ReadonlyMap<string, LeafEvent>;
  readonly scope: ComplianceScope;
  readonly anchorAuthorities: readonly AnchorAuthority[];
  readonly generatorVersion: string;
  readonly audit: PackageAudit;
}

interface ProvenRun {
  readonly proofs: readonly InclusionProof[];
  readonly windows: readonly PackageWindow[];
  readonly anchors: PackageAgent['anchors'];
}

/** Builds the content of a package but for `redecision`: events with status and controls, proofs, windows, agents, summary. */
export async function buildContent(
  sources: ReportSources,
  mapping: ControlMapping,
  proofSource: ProofSource,
  crypto: EvidenceCrypto,
): Promise<PackageContent> {
  const proven: ProvenRun[] = [];
  for (const run of sources.runs) proven.push(await prove(run, proofSource, crypto));
  const { request, scope } = sources;
  const describe = (event: ArchivedEvent): PackageEvent => {
    const { leaf, openings } = event.envelope;
    return {
      event: leaf,
      sequence: event.sequence,
      opened: shownOpenings(openings, withholdOf(leaf, request), crypto.sha256),
      ...(event.erased ? { erased: true as const } : {}),
      ...(leaf.occurredAt < request.from || leaf.occurredAt >= request.to ? { outsideRange: true as const } : {}),
      ...assessEvent(event, sources, { frameworks: request.frameworks, scope }, mapping),
    };
  };
  const events = sources.runs.flatMap((run) => run.events.map(describe));
  return assemblePackage({
    reportId: sources.reportId,
    generator: { name: 'countersign', version: sources.generatorVersion },
    range: { from: request.from, to: request.to },
    frameworks: request.frameworks,
    mapping: { version: mapping.version, sha256: mapping.sha256 },
    scope: declared(scope),
    statements: statementsFor(request.frameworks, scope),
    anchorAuthorities: sources.anchorAuthorities,
    agents: sources.agents.map((agent, i) => describeAgent(agent, sources.runs[i]!, proven[i]!)),
    events,
    inclusionProofs: proven.flatMap((run) => run.proofs),
    windows: proven.flatMap((run) => run.windows),
    audit: sources.audit,
    oversight: oversightOf(events),
    mappingRows: mapping.rowsOf(events.flatMap(({ controls }) => controls)),
    ...(request.format === 'pdf' ? { signedPages: true as const } : {}),
  });
}

async function prove(run: AgentRun, source: ProofSource, crypto: EvidenceCrypto): Promise<ProvenRun> {
  const first = run.events[0]?.sequence;
  const last = run.events.at(-1)?.sequence;
  if (first === undefined || last === undefined) return { proofs: [], windows: [], anchors: [] };
  const proven = await source.windows(run.agentId, first, last);
  const proofs: InclusionProof[] = run.events.map(({ envelope }) => unanchored(envelope.leaf.eventId));
  for (const window of proven) {
    const { firstSequence, lastSequence } = window.leaf;
    const hashes: Uint8Array[] = [];
    for (let from = firstSequence; from <= lastSequence; from += MOST_HASHES) {
      const to = Math.min(from + MOST_HASHES - 1, lastSequence);
      for (const hash of await source.leafHashes(run.agentId, from, to)) hashes.push(bytesOf(hash));
    }
    const tree = new MerkleTree(hashes, crypto.sha256);
    for (let sequence = Math.max(first, firstSequence); sequence <= Math.min(last, lastSequence); sequence += 1) {
      const at = sequence - first;
      proofs[at] = proofFor({ eventId: proofs[at]!.eventId, sequence }, tree, window);
    }
  }
  return {
    proofs,
    windows: proven.map((window) => ({
      agentId: run.agentId,
      windowStart: window.windowStart,
      windowEnd: window.windowEnd,
      merkleRoot: window.merkleRoot,
      txSignature: window.txSignature,
      network: window.network,
      leaf: window.leaf,
      leafIndex: window.leafIndex,
      treeSize: window.treeSize,
      path: window.path,
    })),
    anchors: proven.map((window) => ({
      merkle_root: window.merkleRoot,
      chain_tx_signature: window.txSignature,
      chain_block_height: window.blockHeight,
      anchored_at: window.anchoredAt,
      window_start: window.windowStart,
      window_end: window.windowEnd,
    })),
  };
}

function describeAgent({ id, facts }: ReportSources['agents'][number], run: AgentRun, proven: ProvenRun): PackageAgent {
  return {
    id,
    name: facts.name,
    type: facts.type,
    purpose: facts.purpose,
    version: facts.version,
    status: facts.status,
    blockchain_ssn: facts.blockchain_ssn,
    wallet_address: facts.wallet_address,
    chain_tx_signature: facts.chain_tx_signature,
    firstSequence: run.events[0]?.sequence ?? null,
    lastSequence: run.events.at(-1)?.sequence ?? null,
    count: run.events.length,
    anchors: proven.anchors,
  };
}

/** Commitments of an event that stay closed: of the trail all, unless the request opens it. */
function withholdOf({ agentId }: LeafEvent, { withhold, trail }: ExportRequest): ExportRequest['withhold'] {
  return trail !== 'opened' && isAccountStream(agentId) ? COMMITMENT_KINDS : withhold;
}

function declared(scope: ComplianceScope): PackageContent['scope'] {
  return {
    soc2: scope.soc2 ?? null,
    hipaa: scope.hipaa ?? null,
    euaiact: scope.euaiact ?? null,
    nydfs: scope.nydfs ?? null,
  };
}

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes === null) throw new Error('a stored leaf hash is not a hash');
  return bytes;
}
