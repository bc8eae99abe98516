import type { SignedPackage } from '@countersign/contracts';
import type { ProblemCode } from '../verify/result.js';
import type { Surroundings } from './surroundings.js';
import type { Loose } from './tampered.js';

export interface EventCase {
  readonly name: string;
  readonly description: string;
  readonly change: (subject: { event: Loose; proof: Loose }, around: Surroundings, pkg: SignedPackage) => void;
  readonly expected: { readonly ok: boolean; readonly firstProblem: ProblemCode | null };
}

const HOLDS = { ok: true, firstProblem: null } as const;
const wrong = (firstProblem: ProblemCode): EventCase['expected'] => ({ ok: false, firstProblem });

/** One event and its proof by themselves. */
export const EVENT_CASES: readonly EventCase[] = [
  { name: 'valid', description: 'A proof that holds.', change: () => undefined, expected: HOLDS },
  {
    name: 'unanchored',
    description: 'Nothing to prove yet: not ok, and nothing wrong.',
    change: (subject) => (subject.proof = { eventId: subject.event.eventId, anchored: false }),
    expected: { ok: false, firstProblem: null },
  },
  {
    name: 'other-proof',
    description: 'The proof of another event.',
    change: (subject, _around, pkg) => (subject.proof = pkg.inclusionProofs[1]),
    expected: wrong('proof-event-differs'),
  },
  {
    name: 'renamed-proof',
    description: 'The proof of another event under the name of this one.',
    change: (subject, _around, pkg) => (subject.proof = { ...pkg.inclusionProofs[3], eventId: subject.event.eventId }),
    expected: wrong('proof-root-differs'),
  },
  {
    name: 'leaf-changed',
    description: 'The event is not as it was anchored.',
    change: (subject) => (subject.event.reason = 'The tool is fine.'),
    expected: wrong('proof-root-differs'),
  },
  {
    name: 'leaf-no-leaf',
    description: 'The event lacks a field.',
    change: (subject) => delete subject.event.rule,
    expected: wrong('leaf-invalid'),
  },
  {
    name: 'node-as-leaf',
    description: 'The root of the agent in place of its leaf: a node never passes for a leaf.',
    change: (subject) => Object.assign(subject.proof, { leafIndex: 0, treeSize: 1, path: [] }),
    expected: wrong('proof-place-differs'),
  },
  {
    name: 'path-upper-case',
    description: 'A hash in upper case.',
    change: (subject) => (subject.proof.path = subject.proof.path.map((hash: string) => hash.toUpperCase())),
    expected: wrong('proof-form'),
  },
  {
    name: 'tree-size-unbound',
    description: 'The window tree is said to be one larger, and its path walks all the same: the memo tells.',
    change: (subject) => (subject.proof.agent.treeSize += 1),
    expected: wrong('transaction-size-differs'),
  },
  {
    name: 'index-out-of-tree',
    description: 'A place outside the window tree.',
    change: (subject) => (subject.proof.agent.leafIndex = subject.proof.agent.treeSize),
    expected: wrong('proof-root-differs'),
  },
];
