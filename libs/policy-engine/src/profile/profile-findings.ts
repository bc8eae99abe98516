import type { BehaviorProfile } from '@countersign/contracts';
import { expectedCost, lintRules, lintSchemas, problemText } from '@countersign/rules';
import type { LintFinding, ToolSchema } from '@countersign/rules';
import { NamePatterns } from '../entries/name-patterns.js';
import { compiledMembers, HOST_PORTS } from './conditional-members.js';
import { entryWarnings } from './entry-warnings.js';

/** A part of a profile that is refused, has no effect, or is probably not what its author means. */
export interface ProfileFinding {
  /** `rules:<id>`, `facts:<id>`, `limits:<id>`, or the entry of a list as `allowed_apis[0]`. */
  readonly place: string;
  /** Where it is in the profile: `['rules', 0]`. */
  readonly path: readonly (string | number)[];
  /**
   * `refused`: the profile cannot be saved; `no_effect`: an entry of a list; `unseen`: people are asked about payloads that
   * they are not shown. The others are those of {@link LintFinding}.
   */
  readonly kind: 'refused' | 'no_effect' | 'unseen' | LintFinding['kind'];
  readonly member: string | null;
  /** Offsets in the expression of the member, in UTF-16 units. */
  readonly position: { readonly start: number; readonly end: number } | null;
  readonly message: string;
  /** The text or the change that is proposed instead; `null` where nothing is known. */
  readonly proposal: string | null;
  /** The finding as one sentence. */
  readonly text: string;
}

/** Input schemas of tools, by name. */
export type ToolSchemas = Readonly<Record<string, ToolSchema>>;

export interface FindingsOptions {
  /** With them, members that a tool does not take, and type errors, are found as well. */
  readonly schemas?: ToolSchemas;
  /** Most combinations of values that are tried for all rules together. */
  readonly tries?: number;
  /** The rules are merged into a profile that is not known. */
  readonly isPart?: boolean;
}

/** All findings about a profile, or about the draft of one. Rules that are refused have no other findings. */
export function profileFindings(profile: BehaviorProfile, options: FindingsOptions = {}): readonly ProfileFinding[] {
  const unseen = options.isPart === true || profile.store_payload ? [] : unseenPayloads(profile);
  return [...entryFindings(profile), ...ruleFindings(profile, options), ...unseen];
}

/** Rules that ask people about payloads that are not stored, so that no page shows them. */
function unseenPayloads({ rules = [] }: BehaviorProfile): readonly ProfileFinding[] {
  return rules.flatMap(({ id, effect, mode }, index): readonly ProfileFinding[] => {
    if (effect !== 'approve' || mode === 'observe') return [];
    const message = 'asks people about payloads that they cannot see, because store_payload is off';
    const proposal = 'set store_payload to true';
    const text = `${problemText({ list: 'rules', index, id, member: null, position: null, message, proposal: null })}; ${proposal}`;
    return [
      {
        place: `rules:${id}`,
        path: ['rules', index],
        kind: 'unseen',
        member: null,
        position: null,
        message,
        proposal,
        text,
      },
    ];
  });
}

function entryFindings(profile: BehaviorProfile): readonly ProfileFinding[] {
  return entryWarnings(profile).map(({ field, index, message, text }) => {
    const place = `${field}[${index}]`;
    const where = { place, path: [field, index], member: null, position: null };
    return { ...where, kind: 'no_effect', message, proposal: null, text };
  });
}

function ruleFindings(profile: BehaviorProfile, { schemas, tries }: FindingsOptions): readonly ProfileFinding[] {
  const result = compiledMembers(profile);
  if (result === null) return [];
  if ('problems' in result) {
    return result.problems.map((problem) => {
      const { list, index, id, member, position, message, proposal } = problem;
      const path = index === null ? [list] : [list, index];
      const place = id === null ? path.join('.') : `${list}:${id}`;
      return { place, path, kind: 'refused', member, position, message, proposal, text: problemText(problem) };
    });
  }
  return [
    ...lintRules(result.compiled, tries),
    ...offLimits(profile),
    ...(schemas === undefined ? [] : lintSchemas(result.compiled, schemas, HOST_PORTS)),
  ].map(ofElement);
}

function ofElement({ index, ...finding }: LintFinding): ProfileFinding {
  const colon = finding.place.indexOf(':');
  const [list, id] = [finding.place.slice(0, colon) as 'rules' | 'facts' | 'limits', finding.place.slice(colon + 1)];
  // A proposal that is a question in the message is not repeated.
  const proposal = finding.message.includes('Did you mean') ? null : finding.proposal;
  const sentence = problemText({ ...finding, list, index, id, proposal: null });
  return { ...finding, path: [list, index], text: proposal === null ? sentence : `${sentence}; ${proposal}` };
}

/** Rules for tools that `off_limits_actions` denies: the lists are judged first. */
function offLimits({ rules = [], off_limits_actions: names }: BehaviorProfile): readonly LintFinding[] {
  const list = new NamePatterns(names);
  return rules.flatMap(({ id, tools }, index): readonly LintFinding[] => {
    const entries = (tools ?? []).map((tool) => list.match(tool));
    const [first] = entries;
    if (first === undefined || first === null || entries.includes(null)) return [];
    const message = `has no effect: ${JSON.stringify(first)} of off_limits_actions denies its tools`;
    const about = { member: 'tools', position: null, message, proposal: 'remove the rule, or the entry' };
    return [{ place: `rules:${id}`, index, kind: 'hidden', ...about }];
  });
}

/** Units of an expression that take one µs, by the estimate of `libs/rules`. */
const UNITS_OF_MICRO = 100;

/** The largest estimated time of rules, facts and limits for one check, in µs; `null` where one of them is refused. */
export function expectedMicros(profile: BehaviorProfile): number | null {
  const result = compiledMembers(profile);
  if (result === null) return 0;
  return 'problems' in result ? null : Math.ceil(expectedCost(result.compiled) / UNITS_OF_MICRO);
}
