import { browserCrypto } from '../browser/browser-crypto.js';
import { commit } from '../leaf/commitment.js';
import type { ProblemCode } from '../verify/result.js';

/** A package as plain data that can be changed. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Loose = any;

export interface Tampering {
  readonly name: string;
  readonly description: string;
  readonly change: (pkg: Loose) => void;
  readonly expected: ProblemCode;
}

const ZERO = '0'.repeat(64);

/** Changes after signing: the verifier meets the signature first. */
export const AFTER_SIGNING: readonly Tampering[] = table([
  [
    'canonicalization',
    'unsupported-canonicalization',
    'Another canonicalization.',
    (p) => (p.canonicalization = 'jcs'),
  ],
  ['schema-version', 'unsupported-schema', 'Another schema version.', (p) => (p.schemaVersion = '1.0.1')],
  ['algorithm', 'verification-fields', 'Another algorithm.', (p) => (p.algorithm = 'ed25519')],
  [
    'signature-padding',
    'verification-fields',
    'Base64 with an unused bit set.',
    (p) => (p.signature = looseBase64(p.signature)),
  ],
  ['sha256-upper-case', 'verification-fields', 'sha256 in upper case.', (p) => (p.sha256 = p.sha256.toUpperCase())],
  [
    'key-url-relative',
    'verification-fields',
    'publicKeyUrl without an origin.',
    (p) => (p.publicKeyUrl = p.publicKeyUrl.replace(/^https:\/\/[^/]*/, '')),
  ],
  [
    'key-url-other-key',
    'unknown-key',
    'publicKeyUrl names another key.',
    (p) => (p.publicKeyUrl = p.publicKeyUrl.replace(/.$/, (c: string) => (c === '0' ? '1' : '0'))),
  ],
  [
    'key-url-no-host',
    'verification-fields',
    'publicKeyUrl without a host.',
    (p) => (p.publicKeyUrl = p.publicKeyUrl.replace('countersign.example', '')),
  ],
  [
    'key-url-port-alone',
    'verification-fields',
    'publicKeyUrl with a port and no host.',
    (p) => (p.publicKeyUrl = p.publicKeyUrl.replace('countersign.example', ':8080')),
  ],
  [
    'key-url-next-line',
    'verification-fields',
    'publicKeyUrl with U+0085, which some regular expressions take for white space.',
    (p) => (p.publicKeyUrl = p.publicKeyUrl.replace('.example', '\u0085.example')),
  ],
  [
    'key-url-byte-order-mark',
    'verification-fields',
    'publicKeyUrl with U+FEFF, which other regular expressions take for white space.',
    (p) => (p.publicKeyUrl = p.publicKeyUrl.replace('.example', '\ufeff.example')),
  ],
  [
    'key-url-unit-separator',
    'verification-fields',
    'publicKeyUrl with U+001F.',
    (p) => (p.publicKeyUrl = p.publicKeyUrl.replace('.example', '\u001f.example')),
  ],
  [
    'signature-bit',
    'signature-invalid',
    'One bit of the signature.',
    (p) => (p.signature = (p.signature[0] === 'A' ? 'B' : 'A') + p.signature.slice(1)),
  ],
  ['sha256', 'sha256-differs', 'sha256 is that of something else.', (p) => (p.sha256 = ZERO)],
  [
    'issued-at',
    'signature-invalid',
    'The time of issue is moved.',
    (p) => (p.timestamp.issued_at = '2026-03-02T12:00:00.001Z'),
  ],
  [
    'allowed-flipped',
    'signature-invalid',
    'A denial becomes an allowance.',
    (p) => Object.assign(p.events[2].event, { outcome: 'allowed', allowed: true }),
  ],
  [
    'payload-character',
    'signature-invalid',
    'One character of an opened payload.',
    (p) => (p.events[1].opened.payload.value.seat = '12B'),
  ],
  ['field-added', 'signature-invalid', 'A field that nobody signed.', (p) => (p.note = 'approved')],
  [
    'event-removed',
    'signature-invalid',
    'An event and its proof are gone.',
    (p) => (p.events.splice(1, 1), p.inclusionProofs.splice(1, 1)),
  ],
]);

/** Changes before signing, signed again by the same key: what even the issuer cannot make pass. */
export const BEFORE_SIGNING: readonly Tampering[] = table([
  ['range-text', 'structure', 'A time without milliseconds.', (p) => (p.range.from = '2026-03-02T10:00:00Z')],
  ['range-year-zero', 'structure', 'A time before 1970.', (p) => (p.range.from = '0000-01-01T00:00:00.000Z')],
  [
    'range-before-1970',
    'structure',
    'The last millisecond before 1970.',
    (p) => (p.range.from = '1969-12-31T23:59:59.999Z'),
  ],
  [
    'empty-data-scope-satisfied',
    'status-differs',
    'A data access whose scope is empty, said to name one.',
    (p) => (nameEmptyScope(p), restate(p.events[4], 'Satisfied', null)),
  ],
  [
    'status-unproven',
    'status-differs',
    'A proof that holds, said not to.',
    (p) =>
      restate(
        p.events[0],
        'Gap, review required',
        'The inclusion proof or the sequence number of the event does not hold.',
      ),
  ],
  ['framework-unknown', 'structure', 'A framework that does not exist.', (p) => p.frameworks.push('iso27001')],
  ['proof-left-out', 'structure', 'Fewer proofs than events.', (p) => p.inclusionProofs.pop()],
  ['count-as-text', 'structure', 'A number given as text.', (p) => (p.agents[0].count = '5')],
  ['leaf-extra-field', 'leaf-invalid', 'A leaf with one field more.', (p) => (p.events[1].event.note = null)],
  [
    'leaf-upper-case-agent',
    'leaf-invalid',
    'An agent id in upper case.',
    (p) => (p.events[1].event.agentId = p.events[1].event.agentId.toUpperCase()),
  ],
  [
    'leaf-denied-yet-allowed',
    'leaf-invalid',
    'outcome and allowed contradict each other.',
    (p) => (p.events[2].event.allowed = true),
  ],
  [
    'leaf-changed',
    'proof-root-differs',
    'A leaf is another than was anchored.',
    (p) => (p.events[1].event.detail = 'spent 1 of 2'),
  ],
  [
    'content-hash',
    'content-hash-differs',
    'A memo that names another content.',
    (p) => (p.timestamp.message = `countersign/1 report=${ZERO}`),
  ],
  [
    'event-twice',
    'duplicate-event',
    'The same event twice.',
    (p) => (p.events.push(p.events[5]), p.inclusionProofs.push(p.inclusionProofs[5])),
  ],
  [
    'payload-opened-wrong',
    'opening-wrong',
    'An opened payload is not the one committed.',
    (p) => (p.events[1].opened.payload.value.seat = '12B'),
  ],
  [
    'salt-changed',
    'opening-wrong',
    'A salt is another one.',
    (p) => (p.events[1].opened.action.salt = 'AAAAAAAAAAAAAAAAAAAAAA'),
  ],
  [
    'opening-of-nothing',
    'opening-inconsistent',
    'An opening where nothing is committed.',
    (p) => (p.events[3].opened.payload = p.events[1].opened.payload),
  ],
  ['erased-yet-opened', 'opening-inconsistent', 'Erased content that is opened.', (p) => (p.events[1].erased = true)],
  [
    'control-status',
    'control-status-differs',
    "A control's status is not its event's.",
    (p) => (p.events[2].controls[0].status = 'Satisfied'),
  ],
  [
    'status-better',
    'status-differs',
    'A gap is called prevented.',
    (p) => restate(p.events[2], 'Prevented', 'The check was refused, and no execution was reported.'),
  ],
  [
    'status-reason',
    'status-differs',
    'The right status for a wrong reason.',
    (p) => (p.events[2].statusReason = 'Observe mode let a violation pass.'),
  ],
  [
    'outside-range-unmarked',
    'range-mark-wrong',
    'An event outside the range without its mark.',
    (p) => (p.range.from = '2026-03-02T10:01:30.000Z'),
  ],
  [
    'inside-range-marked',
    'range-mark-wrong',
    'A mark on an event inside the range.',
    (p) => (p.events[1].outsideRange = true),
  ],
  ['event-left-out', 'sequence-missing', 'An event is left out, all figures adapted.', (p) => leaveOut(p, 1)],
  [
    'sequence-shifted',
    'proof-place-differs',
    'Sequences that all moved by one.',
    (p) => p.events.forEach((e: Loose) => (e.sequence += 1)),
  ],
  ['sequence-twice', 'sequence-duplicate', 'Two events with one number.', (p) => (p.events[4].sequence = 6)],
  ['agent-unlisted', 'agent-unknown', 'Events of an agent that is not listed.', (p) => p.agents.pop()],
  ['agent-count', 'agent-figures-differ', "An agent's count is too high.", (p) => (p.agents[0].count = 6)],
  [
    'proofs-swapped',
    'proof-event-differs',
    'Two proofs in each other’s place.',
    (p) => ([p.inclusionProofs[0], p.inclusionProofs[1]] = [p.inclusionProofs[1], p.inclusionProofs[0]]),
  ],
  [
    'unanchored-with-more',
    'proof-form',
    'An unanchored proof with a root.',
    (p) => (p.inclusionProofs[4].merkleRoot = ZERO),
  ],
  [
    'unanchored-of-other',
    'proof-event-differs',
    'An unanchored proof of another event.',
    (p) => (p.inclusionProofs[4].eventId = p.events[0].event.eventId),
  ],
  [
    'path-hash',
    'proof-root-differs',
    'One digit of a path.',
    (p) => (p.inclusionProofs[0].path[0] = flip(p.inclusionProofs[0].path[0])),
  ],
  ['path-longer', 'proof-root-differs', 'A path with one hash more.', (p) => p.inclusionProofs[0].path.push(ZERO)],
  ['path-shorter', 'proof-root-differs', 'A path with one hash less.', (p) => p.inclusionProofs[0].path.pop()],
  [
    'window-path-hash',
    'proof-root-differs',
    "One digit of the agent's path.",
    (p) => (p.inclusionProofs[0].agent.path[0] = flip(p.inclusionProofs[0].agent.path[0])),
  ],
  [
    'agent-tree-size',
    'proof-place-differs',
    'A tree said to be larger than its sequences.',
    (p) => (p.inclusionProofs[0].treeSize = 3),
  ],
  [
    'agent-key',
    'proof-agent-differs',
    'The place of another agent.',
    (p) => (p.inclusionProofs[0].agent.agentKey = flip(p.inclusionProofs[0].agent.agentKey)),
  ],
  [
    'root-claimed',
    'proof-root-differs',
    'Another root than the paths lead to.',
    (p) => (p.inclusionProofs[0].merkleRoot = flip(p.inclusionProofs[0].merkleRoot)),
  ],
  [
    'window-label',
    'proof-form',
    'A window that begins at no multiple of its length.',
    (p) => (p.inclusionProofs[0].windowStart = '2026-03-02T10:00:01.000Z'),
  ],
  ['window-left-out', 'window-missing', 'A window is not listed.', (p) => p.windows.splice(0, 1)],
  [
    'window-root',
    'window-root-differs',
    'A window whose leaf does not lead to its root.',
    (p) => (p.windows[0].path[0] = flip(p.windows[0].path[0])),
  ],
  [
    'window-of-other-agent',
    'window-differs',
    'A window under the name of another agent.',
    (p) => (p.windows[1].agentId = p.agents[0].id),
  ],
  [
    'window-tx',
    'window-differs',
    'A window with another transaction than its proofs.',
    (p) => (p.windows[0].txSignature += 'z'),
  ],
  [
    'anchor-list',
    'anchor-list-differs',
    "An agent's anchor with another root.",
    (p) => (p.agents[0].anchors[0].merkle_root = ZERO),
  ],
  ['summary-figure', 'summary-differs', 'One denial less in the summary.', (p) => (p.summary.denied -= 1)],
  [
    'summary-violation',
    'summary-differs',
    'A kind of violation left out of the summary.',
    (p) => (p.summary.byViolation = {}),
  ],
  [
    'profile-shown',
    'opening-wrong',
    'A profile that was not the one in force.',
    (p) => (p.events[0].opened.action.value.profile.spending_limit = 9000),
  ],
]);

type Row = readonly [name: string, expected: ProblemCode, description: string, change: (pkg: Loose) => unknown];

function table(rows: readonly Row[]): Tampering[] {
  return rows.map(([name, expected, description, change]) => ({
    name,
    expected,
    description,
    change: (pkg) => void change(pkg),
  }));
}

function flip(hex: string): string {
  return (hex.startsWith('0') ? '1' : '0') + hex.slice(1);
}

/** 64 bytes end in `==` with four unused bits: setting one leaves the bytes as they are. */
function looseBase64(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = alphabet.indexOf(text[85]!);
  return `${text.slice(0, 85)}${alphabet[last + 1]}==`;
}

/** The data access of the story, which is not anchored and not erased any more, opened with `dataScope: ""`. */
export function nameEmptyScope(pkg: Loose): void {
  const entry = pkg.events[4];
  const opening = { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: { type: 'data_access', dataScope: '' } };
  delete entry.erased;
  entry.opened = { action: opening };
  entry.event.action = commit('action', opening.salt, opening.value, browserCrypto.sha256);
}

export function restate(entry: Loose, status: string, statusReason: string | null): void {
  Object.assign(entry, { status, statusReason });
  for (const control of entry.controls) control.status = status;
}

function leaveOut(pkg: Loose, i: number): void {
  pkg.events.splice(i, 1);
  pkg.inclusionProofs.splice(i, 1);
  pkg.agents[0].count -= 1;
  Object.assign(pkg.summary, {
    events: pkg.summary.events - 1,
    allowed: pkg.summary.allowed - 1,
    satisfied: pkg.summary.satisfied - 1,
    anchored: pkg.summary.anchored - 1,
    outcomes: { ...pkg.summary.outcomes, of: pkg.summary.outcomes.of - 1 },
  });
}
