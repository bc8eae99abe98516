import type { PackageRedecision } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { utf8 } from '../encoding/text.js';
import { surroundings, vector, type Vector } from './cases.js';
import {
  allowedBy,
  APPROVED,
  FREEZE,
  IN_OBSERVE_MODE,
  OBSERVED,
  OBSERVED_RULE,
  onlyThese,
  PAYMENTS,
  PLANNED,
  WITH_APPROVALS,
  WITH_OBSERVED_RULE,
  WITH_TWO_APPROVALS,
} from './redecide-effects.js';
import { ALLOWED, denied, redecideStory, type Retelling, type StoryCheck } from './redecide-story.js';
import { issueStory, type StoryKey } from './story-package.js';

type Line = readonly [sequence: number, verdict: string, reason: string | null, members?: readonly string[]];
type BreakLine = readonly [sequence: number, balance: string, recorded: string, least: string, most: string | null];

/** A package and the result of its re-decision. */
export interface RedecideVector extends Vector {
  readonly redecided: {
    readonly exitCode: 0 | 1 | 2;
    /** Members of the statement of the package that differ; absent where it has none. */
    readonly stated?: readonly string[];
    readonly missing: number;
    readonly breaks: readonly BreakLine[];
    /** Of the checks in the order of the package; the members that differ, where some do. */
    readonly events: readonly Line[];
  };
}

interface Case extends Retelling {
  readonly name: string;
  readonly description: string;
  /** Of the checks that are not `same`. */
  readonly lines?: readonly Line[];
  readonly breaks?: readonly BreakLine[];
  readonly missing?: number;
  /** The statement of the package, and its members that differ. */
  readonly statement?: PackageRedecision;
  readonly stated?: readonly string[];
  readonly exitCode: 0 | 1 | 2;
}

const changed =
  (index: number, change: (check: StoryCheck) => Partial<StoryCheck>): NonNullable<Retelling['checks']> =>
  (checks) =>
    checks.map((check, i) => (i === index ? { ...check, ...change(check) } : check));

const without =
  (index: number): NonNullable<Retelling['checks']> =>
  (checks) =>
    checks.map((check, i) => ({ ...check, seen: { order: i + 1, ...check.seen } })).filter((_, i) => i !== index);

/** Members that differ where a denial by a rule is said to be allowed. */
const VERDICT = ['outcome', 'allowed', 'severity', 'violation_type', 'rule', 'effect'] as const;

const stating = (same: number): PackageRedecision => ({
  rule: 'countersign/redecide/1',
  engine: { engine: '1', detectors: '1' },
  totals: {
    ...{ checks: same, same, different: 0, withheld: 0, erased: 0, not_checked: 0, otherEngine: 0 },
    ...{ agents: 1, continuous: 1, broken: 0, missing: 0 },
  },
  breaks: [],
});

const CASES: readonly Case[] = [
  {
    name: 'stated-same',
    description: 'The package states that all of its verdicts were the same, and they are.',
    statement: stating(9),
    stated: [],
    exitCode: 0,
  },
  {
    name: 'stated-wrong',
    description: 'The package states that all of its verdicts were the same, and one is not.',
    profile: (profile) => ({ ...profile, off_limits_actions: ['transfer'] }),
    lines: [[3, 'different', 'verdict', VERDICT]],
    statement: stating(9),
    stated: ['redecision.totals.same', 'redecision.totals.different'],
    exitCode: 1,
  },
  {
    name: 'stated-continuous',
    description: 'The package states that its balances were continuous, and they break.',
    checks: changed(7, ({ seen }) => ({ seen: { ...seen, day: 0 } })),
    breaks: [
      [9, 'spent.day', '0', '4000000', '4000000'],
      [9, 'spent.month', '0', '4000000', '4000000'],
      [10, 'spent.day', '10000000', '6000000', '6000000'],
      [10, 'spent.month', '10000000', '6000000', '6000000'],
    ],
    statement: stating(9),
    stated: ['redecision.totals.continuous', 'redecision.totals.broken', 'redecision.breaks'],
    exitCode: 1,
  },
  { name: 'same', description: 'A check for each step of the judgement.', exitCode: 0 },
  {
    name: 'verdict-flipped',
    description: 'A send after a secret was read is said to be allowed.',
    checks: changed(3, () => ({ leaf: { outcome: 'allowed', allowed: true } })),
    lines: [[5, 'different', 'verdict', VERDICT]],
    breaks: [
      [6, 'rate', '2', '3', '3'],
      [7, 'rate', '3', '4', '4'],
      [8, 'rate', '3', '4', '4'],
      [9, 'rate', '3', '4', '4'],
      [10, 'rate', '4', '5', '5'],
    ],
    exitCode: 1,
  },
  {
    name: 'debit-skipped',
    description: 'The last check but one saw nothing of what the first one cost.',
    checks: changed(7, ({ seen }) => ({ seen: { ...seen, day: 0 } })),
    breaks: [
      [9, 'spent.day', '0', '4000000', '4000000'],
      [9, 'spent.month', '0', '4000000', '4000000'],
      [10, 'spent.day', '10000000', '6000000', '6000000'],
      [10, 'spent.month', '10000000', '6000000', '6000000'],
    ],
    exitCode: 1,
  },
  {
    name: 'policy-altered',
    description: 'The profile allows what it had off limits; leaf and hashes agree with it.',
    profile: (profile) => ({ ...profile, off_limits_actions: ['transfer'] }),
    lines: [[3, 'different', 'verdict', VERDICT]],
    exitCode: 1,
  },
  {
    name: 'policy-contradicted',
    description: 'A check names another content of the same version of the profile.',
    checks: changed(8, ({ leaf }) => ({ leaf: { ...leaf, profileSha256: 'ab'.repeat(32) } })),
    lines: [[10, 'different', 'profile', ['profileSha256']]],
    exitCode: 1,
  },
  {
    name: 'order-missing',
    description: 'The denied wire is left out of the log: its number of the order is missing.',
    checks: without(1),
    missing: 1,
    exitCode: 2,
  },
  {
    name: 'limit-forgotten',
    description: 'The second refund saw nothing of the first.',
    checks: changed(5, ({ seen }) => ({
      leaf: { outcome: 'allowed', allowed: true },
      seen: { ...seen, limits: { refunds: '0' } },
    })),
    breaks: [
      [7, 'limits.refunds', '0', '60', '60'],
      [8, 'rate', '3', '4', '4'],
      [9, 'rate', '3', '4', '4'],
      [10, 'rate', '4', '5', '5'],
    ],
    exitCode: 1,
  },
  {
    name: 'fact-forgotten',
    description: 'The send is said not to have seen that a secret was read.',
    checks: changed(3, () => ({ leaf: { outcome: 'allowed', allowed: true }, facts: [] })),
    breaks: [
      [5, 'facts.secret', '0', '1', '1'],
      [6, 'rate', '2', '3', '3'],
      [7, 'rate', '3', '4', '4'],
      [8, 'rate', '3', '4', '4'],
      [9, 'rate', '3', '4', '4'],
      [10, 'rate', '4', '5', '5'],
    ],
    exitCode: 1,
  },
  {
    name: 'payload-not-kept',
    description: 'A refund whose arguments were not kept.',
    drafts: (drafts) => drafts.map((draft, i) => (i === 5 ? { ...draft, payloadNotKept: true as const } : draft)),
    lines: [[6, 'withheld', 'payload']],
    exitCode: 2,
  },
  {
    name: 'erased',
    description: 'The content of one check is erased by order.',
    drafts: (drafts) => drafts.map((draft, i) => (i === 2 ? { ...draft, erased: true as const } : draft)),
    lines: [[3, 'erased', null]],
    exitCode: 2,
  },
  {
    name: 'profile-missing',
    description: 'No event of the package shows the profile in force.',
    drafts: (drafts) => drafts.map((draft, i) => (i === 0 ? { type: 'agent.created', v2: {}, action: {} } : draft)),
    lines: [2, 3, 4, 5, 6, 7, 8, 9, 10].map((sequence): Line => [sequence, 'withheld', 'profile']),
    exitCode: 2,
  },
  {
    name: 'approve',
    description:
      'Payments that an approval must precede, one that is denied besides, and one whose amount cannot be read.',
    profile: WITH_APPROVALS,
    checks: onlyThese(...PAYMENTS),
    exitCode: 0,
  },
  {
    name: 'approval-left-out',
    description: 'A payment that an approval must precede is said to be allowed.',
    profile: WITH_APPROVALS,
    checks: onlyThese(
      ...PAYMENTS.map((check, i) => (i === 1 ? { ...check, effect: 'allow', leaf: ALLOWED } : check)).slice(0, 2),
    ),
    lines: [[3, 'different', 'verdict', VERDICT]],
    exitCode: 1,
  },
  {
    name: 'approved',
    description:
      'Payments before an approval, with one that is used and one that is consumed, one that is denied besides, and payments that need two.',
    profile: WITH_TWO_APPROVALS,
    checks: onlyThese(...APPROVED),
    exitCode: 0,
  },
  {
    name: 'approval-pending',
    description: 'A payment is said to be allowed, and its approval is pending.',
    profile: WITH_TWO_APPROVALS,
    checks: onlyThese(...allowedBy('large', 'pending')),
    lines: [[2, 'different', 'verdict', VERDICT]],
    exitCode: 1,
  },
  {
    name: 'approval-of-another-rule',
    description: 'A payment is said to be allowed, and its approval is one that another rule asked for.',
    profile: WITH_TWO_APPROVALS,
    checks: onlyThese(...allowedBy('huge', 'consumed')),
    lines: [[2, 'different', 'verdict', VERDICT]],
    exitCode: 1,
  },
  {
    name: 'freeze',
    description: 'Checks of an agent before, in and after a freeze, during which its rules are not asked.',
    checks: onlyThese(...FREEZE),
    exitCode: 0,
  },
  {
    name: 'freeze-ignored',
    description: 'A check that saw the freeze is said to be allowed.',
    checks: onlyThese(...FREEZE.map((check, i) => (i === 1 ? { ...check, leaf: ALLOWED } : check)).slice(0, 2)),
    lines: [[3, 'different', 'verdict', ['outcome', 'allowed', 'severity', 'effect']]],
    exitCode: 1,
  },
  {
    name: 'plan',
    description:
      'The last action of a plan, one more, and one after its end, which is said before the number of actions.',
    checks: onlyThese(...PLANNED),
    exitCode: 0,
  },
  {
    name: 'observe',
    description: 'A profile in observe mode denies nothing, and counts all.',
    profile: IN_OBSERVE_MODE,
    checks: onlyThese(...OBSERVED),
    exitCode: 0,
  },
  {
    name: 'observed-rule',
    description: 'A rule in observe mode denies nothing, and the others do.',
    profile: WITH_OBSERVED_RULE,
    checks: onlyThese(...OBSERVED_RULE),
    exitCode: 0,
  },
  {
    name: 'other-engine',
    description: 'A check by another version of the engine, with the same verdict.',
    checks: changed(2, () => ({ engine: '2' })),
    exitCode: 0,
  },
  {
    name: 'other-engine-differs',
    description:
      'The last check was judged by another version of the engine, with a verdict that this one does not give.',
    checks: changed(8, () => ({ engine: '2', leaf: denied('rule_denied', 'P2', 'rules:no-send') })),
    lines: [[10, 'not_checked', 'engine']],
    exitCode: 2,
  },
];

/** Names and contents of the vectors of re-decision; the same bytes on every run. */
export function redecideVectorFiles(
  sha256: Sha256,
  keyOf: (seed: Uint8Array) => StoryKey,
): [name: string, text: string][] {
  const key = keyOf(sha256(utf8('countersign test vectors')));
  return CASES.map(
    ({ name, description, lines = [], breaks = [], missing = 0, exitCode, statement, stated, ...retelling }) => {
      const story = redecideStory(retelling, sha256);
      const issued = issueStory(story, key, sha256, statement);
      const special = new Map(lines.map((line) => [line[0], line]));
      const events = story.agents.flatMap(({ events: all }) =>
        all.flatMap(({ leaf }, i): Line[] =>
          leaf.type === 'action.checked' ? [special.get(i + 1) ?? [i + 1, 'same', null]] : [],
        ),
      );
      const made: RedecideVector = {
        ...vector(description, { package: issued.pkg }, surroundings(issued, key), null),
        redecided: { exitCode, ...(stated === undefined ? {} : { stated }), missing, breaks, events },
      };
      return [`${name}.json`, `${JSON.stringify(made, null, 1)}\n`];
    },
  );
}
