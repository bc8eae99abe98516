import type { AnchoredProof, InclusionProof, LeafEvent } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { toHex } from '../encoding/hex.js';
import { canonicalLeaf } from '../leaf/canonical-leaf.js';
import { readLeaf } from '../leaf/read-leaf.js';
import { utf8 } from '../encoding/text.js';
import { leafHash } from '../merkle/hash.js';
import { rootFromPath } from '../merkle/verify-inclusion.js';
import { isRecord, read, refuse, type Reading } from '../reading.js';
import { agentKey, pathBytes, windowLeafHash } from '../window/window-tree.js';
import { checkWindowAnchor, type ChainVerdict, unchecked } from './chain-check.js';
import type { VerifyOptions } from './options.js';
import { anchoredProofShape } from './package-shape.js';
import type { EventResult, Problem, ProblemCode } from './result.js';

/** A proof of one of its two forms; an unanchored one has exactly its two members. */
export function readProof(value: unknown): Reading<InclusionProof> {
  if (!isRecord(value)) return refuse('a proof must be an object');
  if (value['anchored'] === false) {
    const exact = Object.keys(value).length === 2 && typeof value['eventId'] === 'string';
    return exact
      ? read(value as unknown as InclusionProof)
      : refuse('an unanchored proof must be exactly {eventId, anchored:false}');
  }
  const fault = anchoredProofShape(value);
  if (fault === null) return read(value as unknown as InclusionProof);
  return refuse(`${fault.path === '' ? 'the proof' : fault.path.slice(1)} must be ${fault.form}`);
}

/** Reports whether a value given as a proof claims to be anchored: then it fails unless it holds. */
export function claimsAnchor(proof: unknown): boolean {
  return !(isRecord(proof) && proof['anchored'] === false);
}

export interface ProofFault {
  readonly code: ProblemCode;
  readonly message: string;
}

/**
 * Checks an anchored proof by itself: that it is this event's, and that both paths lead to `merkleRoot`.
 * @param sequence the event's, where it is known
 */
export function proofFault(
  event: LeafEvent,
  hash: Uint8Array,
  proof: AnchoredProof,
  sequence: number | null,
  sha256: Sha256,
  keyOf: (agentId: string) => string = (agentId) => agentKey(agentId, sha256),
): ProofFault | null {
  const { agent } = proof;
  if (proof.eventId !== event.eventId) return fault('proof-event-differs', 'The proof is that of another event.');
  if (agent.agentKey !== keyOf(event.agentId)) {
    return fault('proof-agent-differs', 'The proof is that of another agent.');
  }
  if (proof.treeSize !== agent.lastSequence - agent.firstSequence + 1) {
    return fault('proof-place-differs', "The size of the agent's tree is not that of its sequences.");
  }
  if (sequence !== null && proof.leafIndex !== sequence - agent.firstSequence) {
    return fault('proof-place-differs', 'The place of the event in the tree is not that of its sequence.');
  }
  if (rootHex(hash, proof.leafIndex, proof.treeSize, proof.path, sha256) !== agent.agentRoot) {
    return fault('proof-root-differs', "The event's path does not lead to the root of its agent.");
  }
  const windowLeaf = {
    agentKey: agent.agentKey,
    count: proof.treeSize,
    firstSequence: agent.firstSequence,
    lastSequence: agent.lastSequence,
    agentRoot: agent.agentRoot,
  };
  const top = rootHex(windowLeafHash(windowLeaf, sha256), agent.leafIndex, agent.treeSize, agent.path, sha256);
  return top === proof.merkleRoot
    ? null
    : fault('proof-root-differs', "The agent's path does not lead to the root of the window.");
}

function fault(code: ProblemCode, message: string): ProofFault {
  return { code, message };
}

/** `null` where no tree of that size has such a path. */
export function rootHex(
  leaf: Uint8Array,
  index: number,
  treeSize: number,
  path: readonly string[],
  sha256: Sha256,
): string | null {
  const hashes = pathBytes(path);
  const root = hashes === null ? null : rootFromPath(leaf, index, treeSize, hashes, sha256);
  return root === null ? null : toHex(root);
}

/** The result of an event whose proof could not be read, or has nothing to prove. */
export function unprovenResult(eventId: unknown, anchored: boolean, detail: string): EventResult {
  return {
    ok: false,
    anchored,
    rootMatches: false,
    eventId,
    merkleRoot: null,
    txSignature: null,
    network: null,
    detail,
    chain: unchecked(detail).check,
  };
}

export const NOTHING_TO_PROVE = 'nothing to prove yet';

/** The per-event result of an anchored proof, from its check and that of its transaction. */
export function anchoredResult(proof: AnchoredProof, found: ProofFault | null, chain: ChainVerdict): EventResult {
  const problem = found ?? chain.problem;
  return {
    ok: problem === null,
    anchored: true,
    rootMatches: found === null,
    eventId: proof.eventId,
    merkleRoot: proof.merkleRoot,
    txSignature: proof.txSignature,
    network: proof.network,
    leafIndex: proof.leafIndex,
    treeSize: proof.treeSize,
    detail: problem?.message ?? `The event is in the tree of this root. ${chain.check.detail}`,
    chain: chain.check,
  };
}

export interface EventProofResult {
  /** The proof holds; of an unanchored event `false`, with no problem and the detail "nothing to prove yet". */
  readonly ok: boolean;
  readonly event: EventResult;
  /** Canonical text of the leaf event; `null` where it is not a leaf. */
  readonly canonical: string | null;
  /** Leaf hash, lower-case hex: `SHA-256(0x00 || canonical)`. */
  readonly leafHash: string | null;
  readonly problems: readonly Problem[];
}

/** Verifies a single event with its proof, without a report or a signature. */
export function verifyEventProof(
  event: unknown,
  proof: unknown,
  options: Pick<VerifyOptions, 'crypto' | 'chain'>,
): EventProofResult {
  const { sha256 } = options.crypto;
  const claims = claimsAnchor(proof);
  const leaf = readLeaf(event);
  if (!leaf.ok) {
    const eventId = isRecord(event) ? (event['eventId'] ?? null) : null;
    return refused('leaf-invalid', 'event', `The event is no leaf: ${leaf.problem}.`, eventId, claims);
  }
  const canonical = canonicalLeaf(leaf.value);
  const hash = leafHash(utf8(canonical), sha256);
  const { eventId } = leaf.value;
  const reading = readProof(proof);
  if (!reading.ok) {
    return refused(
      'proof-form',
      'proof',
      `The proof is malformed: ${reading.problem}.`,
      eventId,
      claims,
      canonical,
      hash,
    );
  }
  if (!reading.value.anchored) {
    if (reading.value.eventId !== eventId) {
      return refused(
        'proof-event-differs',
        'proof',
        'The proof is that of another event.',
        eventId,
        claims,
        canonical,
        hash,
      );
    }
    const result = unprovenResult(eventId, false, NOTHING_TO_PROVE);
    return { ok: false, event: result, canonical, leafHash: toHex(hash), problems: [] };
  }
  const anchored = reading.value;
  const found = proofFault(leaf.value, hash, anchored, null, sha256);
  const chain = checkWindowAnchor({ ...anchored, agents: anchored.agent.treeSize }, options.chain);
  const result = anchoredResult(anchored, found, chain);
  const problem = found ?? chain.problem;
  const problems = problem === null ? [] : [{ code: problem.code, path: 'proof', message: problem.message, eventId }];
  return { ok: result.ok, event: result, canonical, leafHash: toHex(hash), problems };
}

function refused(
  code: ProblemCode,
  path: string,
  message: string,
  eventId: unknown,
  anchored: boolean,
  canonical: string | null = null,
  hash: Uint8Array | null = null,
): EventProofResult {
  return {
    ok: false,
    event: unprovenResult(eventId, anchored, message),
    canonical,
    leafHash: hash === null ? null : toHex(hash),
    problems: [{ code, path, message }],
  };
}
