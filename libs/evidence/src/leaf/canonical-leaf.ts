import type { LeafEvent } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { utf8 } from '../encoding/text.js';
import { quote } from '../json/canonicalize.js';
import { leafHash } from '../merkle/hash.js';

/**
 * RFC 8785 form of a leaf: equal to {@link canonicalize}, without sorting or traversal. `leaf` MUST be one that
 * {@link readLeaf} accepts.
 * @throws NotCanonical for a lone surrogate in `reason`, `rule` or `detail`
 */
export function canonicalLeaf(leaf: LeafEvent): string {
  return (
    `{"action":${plain(leaf.action)},"actionKind":${plain(leaf.actionKind)},"agentId":"${leaf.agentId}"` +
    `,"allowed":${leaf.allowed}${leaf.v === 2 ? added(leaf) : ''}` +
    `,"detail":${free(leaf.detail)},"eventId":"${leaf.eventId}"` +
    `,"occurredAt":"${leaf.occurredAt}","outcome":${plain(leaf.outcome)},"payload":${plain(leaf.payload)}` +
    `,"profileSha256":${plain(leaf.profileSha256)},"profileVersion":${leaf.profileVersion}` +
    `,"reason":${free(leaf.reason)},"refersTo":${plain(leaf.refersTo)},"rule":${free(leaf.rule)}` +
    `,"severity":${plain(leaf.severity)},"type":"${leaf.type}","v":${leaf.v}` +
    `,"violation_type":${plain(leaf.violation_type)}}`
  );
}

/** The members that version 2 adds: they lie between `allowed` and `detail`. */
function added({ context, coverage }: LeafEvent): string {
  return `,"context":${plain(context!)},"coverage":${names(coverage!)}`;
}

/** Identifiers, which have nothing to escape. */
function names(coverage: readonly string[] | null): string {
  if (coverage === null) return 'null';
  return coverage.length === 0 ? '[]' : `["${coverage.join('","')}"]`;
}

/** A field whose form has nothing to escape. */
function plain(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

function free(text: string | null): string {
  return text === null ? 'null' : quote(text);
}

/** The bytes that are hashed: {@link canonicalLeaf} in UTF-8. */
export function leafBytes(leaf: LeafEvent): Uint8Array {
  return utf8(canonicalLeaf(leaf));
}

/** `SHA-256(0x00 || canonical leaf)`: the leaf's hash in its agent's tree. */
export function leafHashOf(leaf: LeafEvent, sha256: Sha256): Uint8Array {
  return leafHash(leafBytes(leaf), sha256);
}
