import type { InclusionProof, LeafEvent, PackageEvent, SignedPackage } from '@countersign/contracts';
import { leafHashOf } from '../leaf/canonical-leaf.js';
import { readLeaf } from '../leaf/read-leaf.js';
import { isRecord } from '../reading.js';
import { agentKey } from '../window/window-tree.js';
import { checkWindowAnchor, type ChainVerdict, isWithin, type WindowClaim } from './chain-check.js';
import {
  anchoredResult,
  unprovenResult,
  claimsAnchor,
  NOTHING_TO_PROVE,
  proofFault,
  type ProofFault,
  readProof,
} from './event-proof.js';
import { counted, type Findings } from './findings.js';
import type { VerifyOptions } from './options.js';
import { OpeningChecks } from './package-openings.js';
import type { EventResult } from './result.js';

/** An entry whose leaf could be read, with its proof. */
export interface CheckedEntry {
  readonly index: number;
  readonly entry: PackageEvent;
  readonly leaf: LeafEvent;
  /** `null` where the proof could not be read. */
  readonly proof: InclusionProof | null;
  /** True if its proof holds as far as it was checked; `true` for an unanchored event. */
  readonly holds: boolean;
}

export interface CheckedEntries {
  readonly entries: readonly CheckedEntry[];
  readonly results: readonly EventResult[];
}

/** Caches what many events share: the keys of agents, the verdicts on transactions. */
export class VerdictCache {
  readonly #keys = new Map<string, string>();
  readonly #anchors = new Map<string, ChainVerdict>();
  readonly #options: VerifyOptions;

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  readonly agentKey = (agentId: string): string => {
    const known = this.#keys.get(agentId);
    if (known !== undefined) return known;
    const key = agentKey(agentId, this.#options.crypto.sha256);
    this.#keys.set(agentId, key);
    return key;
  };

  anchor({ txSignature, network, merkleRoot, agents, windowStart, windowEnd }: WindowClaim): ChainVerdict {
    const id = JSON.stringify([txSignature, network, merkleRoot, agents, windowStart, windowEnd]);
    const known = this.#anchors.get(id);
    if (known !== undefined) return known;
    const verdict = checkWindowAnchor(
      { txSignature, network, merkleRoot, agents, windowStart, windowEnd },
      this.#options.chain,
    );
    this.#anchors.set(id, verdict);
    return verdict;
  }

  /** All verdicts on windows' transactions so far. */
  anchors(): readonly ChainVerdict[] {
    return [...this.#anchors.values()];
  }
}

/** Checks each event by itself: leaf, openings, marks, controls, proof. */
export function checkEntries(
  pkg: SignedPackage,
  options: VerifyOptions,
  cache: VerdictCache,
  findings: Findings,
): CheckedEntries {
  const { sha256 } = options.crypto;
  const entries: CheckedEntry[] = [];
  const results: EventResult[] = [];
  const seen = new Set<string>();
  const openings = new OpeningChecks(sha256, findings);
  pkg.events.forEach((entry, index) => {
    const path = `events[${index}]`;
    const given: unknown = pkg.inclusionProofs[index];
    const leaf = readLeaf(entry.event);
    if (!leaf.ok) {
      const claimed: unknown = entry.event;
      const eventId = isRecord(claimed) ? (claimed['eventId'] ?? null) : null;
      const message = `The event is no leaf: ${leaf.problem}.`;
      findings.problem('leaf-invalid', `${path}.event`, message, typeof eventId === 'string' ? eventId : undefined);
      results.push(unprovenResult(eventId, claimsAnchor(given), message));
      return;
    }
    const event = leaf.value;
    if (seen.has(event.eventId)) {
      findings.problem('duplicate-event', `${path}.event`, 'The event is in the package twice.', event.eventId);
    }
    seen.add(event.eventId);
    openings.check(entry, event, path);
    checkMarks(pkg, entry, event, path, findings);

    const proofPath = `inclusionProofs[${index}]`;
    const proof = readProof(given);
    let found: ProofFault | null = null;
    if (!proof.ok) {
      found = { code: 'proof-form', message: `The proof is malformed: ${proof.problem}.` };
      results.push(unprovenResult(event.eventId, claimsAnchor(given), found.message));
    } else if (proof.value.anchored) {
      const hash = leafHashOf(event, sha256);
      found = proofFault(event, hash, proof.value, entry.sequence, sha256, cache.agentKey);
      const chain = cache.anchor({ ...proof.value, agents: proof.value.agent.treeSize });
      results.push(anchoredResult(proof.value, found, chain));
      found ??= chain.problem;
    } else {
      if (proof.value.eventId !== event.eventId) {
        found = { code: 'proof-event-differs', message: 'The proof is that of another event.' };
      }
      results.push(unprovenResult(event.eventId, false, found?.message ?? NOTHING_TO_PROVE));
    }
    if (found !== null) findings.problem(found.code, proofPath, found.message, event.eventId);
    entries.push({ index, entry, leaf: event, proof: proof.ok ? proof.value : null, holds: found === null });
  });
  findings.checked.push(`the form of ${counted(pkg.events.length, 'leaf event')}`);
  openings.report();
  return { entries, results };
}

function checkMarks(pkg: SignedPackage, entry: PackageEvent, event: LeafEvent, path: string, findings: Findings): void {
  const inside = isWithin(event.occurredAt, pkg.range.from, pkg.range.to);
  if (inside === (entry.outsideRange === true)) {
    const message = inside ? 'The event lies in the range.' : 'The event lies outside the range and is not marked so.';
    findings.problem('range-mark-wrong', `${path}.outsideRange`, message, event.eventId);
  }
  entry.controls.forEach((control, i) => {
    const at = `${path}.controls[${i}]`;
    if (control.status !== entry.status) {
      findings.problem('control-status-differs', at, "The control's status is not its event's.", event.eventId);
    }
    if (!pkg.frameworks.includes(control.framework)) {
      findings.problem('structure', at, 'The control is of a framework that was not asked for.', event.eventId);
    }
  });
}
