import type { FactMember, LimitMember, RuleMember, Severity } from '@countersign/contracts';
import type { Ports } from '../cel/function.js';
import { compileCel } from '../cel/program.js';
import type { CelOptions, Program } from '../cel/program.js';
import type { CelProblem } from '../cel/syntax.js';
import { nanosOf } from '../host/decimal.js';
import { ignoredRead } from '../members/ignored-reads.js';
import { conjunction, ruleTexts } from '../members/matchers.js';
import type { MemberProblem, RuleMembers } from '../members/read-members.js';
import { readMembers } from '../members/read-members.js';
import { TargetIndex } from './scope-of-rule.js';
import { variablesOf } from './variables.js';

/** Most facts that one rule reads: it is evaluated for each of their 16 combinations. */
const MAX_FACTS_OF_RULE = 4;
/** Most units of all expressions that may apply to one action. */
const MAX_PROFILE_COST = 1_000_000;

export interface CompiledRule {
  readonly member: RuleMember;
  /** `args` and `hours`; `null` for none. */
  readonly matchers: Program | null;
  readonly when: Program | null;
  /** Positions of the facts that it reads, in ascending order. */
  readonly facts: readonly number[];
  readonly severity: Severity;
  /** Facts and members that it reads, of which a rule with the effect `defer` waits for one. */
  readonly waitsFor: readonly string[];
}

export interface CompiledFact {
  readonly member: FactMember;
  readonly setWhen: Program;
}

export interface CompiledLimit {
  readonly member: LimitMember;
  readonly key: Program | null;
  readonly sum: Program | null;
  /** `max_sum` in units of 10^-9; `null` for a limit of a count. */
  readonly maxNanos: bigint | null;
  readonly severity: Severity;
}

/** Compiled once for each version of a profile. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  readonly facts: readonly CompiledFact[];
  readonly limits: readonly CompiledLimit[];
  readonly ruleIndex: TargetIndex;
  readonly factIndex: TargetIndex;
  readonly limitIndex: TargetIndex;
  /** Time zones whose offsets a judgement needs, each once. */
  readonly zones: readonly string[];
}

/**
 * Compiles the members of a profile. @param ports matchers of entries, which the policy engine has
 * @returns the compiled rules, or all problems of the members: at least one
 */
export function compileRules(
  members: unknown,
  ports: Ports,
): { readonly compiled: CompiledRules } | { readonly problems: readonly MemberProblem[] } {
  const read = readMembers(members);
  if ('problems' in read) return read;
  const compiler = new Compiler(read.members, ports);
  const compiled = compiler.compile();
  return compiler.problems.length > 0 ? { problems: compiler.problems } : { compiled };
}

class Compiler {
  readonly problems: MemberProblem[] = [];
  readonly #members: Required<RuleMembers>;
  readonly #factIds: readonly string[];
  readonly #options: Omit<CelOptions, 'presence' | 'condition'>;
  #cost = 0;

  constructor(members: Required<RuleMembers>, ports: Ports) {
    this.#members = members;
    this.#factIds = members.facts.map(({ id }) => id);
    this.#options = { variables: variablesOf(this.#factIds), ports };
  }

  compile(): CompiledRules {
    const { rules, facts, limits } = this.#members;
    const compiled = {
      rules: rules.map((rule, at) => this.#rule(rule, at)),
      facts: facts.map((fact, at) => this.#fact(fact, at)),
      limits: limits.map((limit, at) => this.#limit(limit, at)),
    };
    const programs = [
      ...compiled.rules.flatMap(({ matchers, when }) => [matchers, when]),
      ...compiled.facts.map(({ setWhen }) => setWhen),
      ...compiled.limits.flatMap(({ key, sum }) => [key, sum]),
    ];
    return {
      ...compiled,
      ruleIndex: new TargetIndex(rules),
      factIndex: new TargetIndex(facts),
      limitIndex: new TargetIndex(limits),
      zones: [...new Set(programs.flatMap((program) => program?.zones ?? []))],
    };
  }

  #rule(member: RuleMember, index: number): CompiledRule {
    const place = { list: 'rules', index, id: member.id } as const;
    const texts = ruleTexts(member);
    const generated = texts.filter((one) => one.place !== 'when');
    // Each matcher by itself first, so that a problem names it.
    const isSound = generated.every(
      (one) => this.#compile(one.cel, { ...place, member: one.place }, GENERATED) !== null,
    );
    const matchers =
      generated.length === 0 || !isSound
        ? null
        : this.#compile(conjunction(generated.map(({ cel }) => cel)), { ...place, member: 'args' }, GENERATED);
    const when = member.when === undefined ? null : this.#compile(member.when, { ...place, member: 'when' }, CONDITION);
    const facts = this.#factsOf(when);
    if (facts.length > MAX_FACTS_OF_RULE) {
      this.#add({ ...place, member: 'when' }, `reads ${facts.length} facts, and ${MAX_FACTS_OF_RULE} are the most`);
    }
    // Generated text names a member that is no identifier as an element: `args` has its name.
    const reads = [...(matchers?.reads ?? []).filter((read) => /^args(\.\w+)+$/.test(read)), ...(when?.reads ?? [])];
    const ignored = ignoredRead(member, reads);
    if (ignored !== null) {
      this.#add({ ...place, member: `ignore[${ignored.at}]` }, `ignores ${ignored.read}, which the rule judges`);
    }
    this.#spend(place, (matchers?.cost ?? 0) + (when?.cost ?? 0) * 2 ** facts.length);
    const waitsFor = member.effect === 'defer' ? waitedFor(matchers, when) : NOTHING;
    return {
      member,
      matchers,
      when,
      facts,
      severity: member.severity ?? 'P2',
      waitsFor,
    };
  }

  #fact(member: FactMember, index: number): CompiledFact {
    const place = { list: 'facts', index, id: member.id } as const;
    const setWhen = this.#compile(member.set_when, { ...place, member: 'set_when' }, SETTER);
    if (this.#factsOf(setWhen).length > 0) {
      this.#add({ ...place, member: 'set_when' }, 'reads facts, which are known only after it is evaluated');
    }
    this.#spend(place, setWhen?.cost ?? 0);
    return { member, setWhen: setWhen ?? NEVER };
  }

  #limit(member: LimitMember, index: number): CompiledLimit {
    const place = { list: 'limits', index, id: member.id } as const;
    const key = member.key === undefined ? null : this.#compile(member.key, { ...place, member: 'key' }, VALUE);
    const sum = member.sum === undefined ? null : this.#compile(member.sum, { ...place, member: 'sum' }, VALUE);
    for (const [name, program] of [
      ['key', key],
      ['sum', sum],
    ] as const) {
      if (this.#factsOf(program).length > 0) {
        this.#add({ ...place, member: name }, 'reads facts, which are known only after it is evaluated');
      }
    }
    this.#spend(place, (key?.cost ?? 0) + (sum?.cost ?? 0));
    const maxNanos = member.max_sum === undefined ? null : nanosOf(member.max_sum);
    return { member, key, sum, maxNanos, severity: member.severity ?? 'P2' };
  }

  #factsOf(program: Program | null): readonly number[] {
    const ids = new Set(
      (program?.reads ?? []).filter((read) => read.startsWith('facts.')).map((read) => read.split('.')[1]),
    );
    return this.#factIds.flatMap((id, at) => (ids.has(id) ? [at] : []));
  }

  #compile(text: string, place: Omit<MemberProblem, 'position' | 'message' | 'proposal'>, kind: Kind): Program | null {
    const result = compileCel(text, { ...this.#options, ...kind });
    if ('program' in result) return result.program;
    this.problems.push(problemAt(place, result.problem, kind === GENERATED));
    return null;
  }

  #add(place: Omit<MemberProblem, 'position' | 'message' | 'proposal'>, message: string): void {
    this.problems.push({ ...place, position: null, message, proposal: null });
  }

  #spend(place: Omit<MemberProblem, 'position' | 'message' | 'proposal' | 'member'>, cost: number): void {
    const before = this.#cost;
    this.#cost += cost;
    if (before <= MAX_PROFILE_COST && this.#cost > MAX_PROFILE_COST) {
      this.#add(
        { ...place, member: null },
        'makes all expressions of the profile together too costly: leave out loops',
      );
    }
  }
}

const NOTHING: readonly string[] = [];

/** Facts first: they come true by other actions. */
function waitedFor(matchers: Program | null, when: Program | null): readonly string[] {
  const reads = [...new Set([...(when?.reads ?? []), ...(matchers?.reads ?? [])])];
  const isFact = (read: string): boolean => read.startsWith('facts.');
  return [...reads.filter(isFact), ...reads.filter((read) => !isFact(read))];
}

type Kind = Pick<CelOptions, 'presence' | 'condition'> & { readonly generated?: true };

const CONDITION: Kind = { presence: true, condition: true };
const GENERATED: Kind = { presence: false, condition: true, generated: true };
const SETTER: Kind = { presence: false, condition: true };
const VALUE: Kind = { presence: false, condition: false };

/** In place of an expression that was refused. */
const NEVER: Program = {
  text: 'false',
  cost: 0,
  reads: [],
  zones: [],
  type: { kind: 'bool' },
  run: () => false,
  value: () => false,
  explain: () => [],
};

/** Positions in generated text mean nothing to its author. */
function problemAt(
  place: Omit<MemberProblem, 'position' | 'message' | 'proposal'>,
  { range, message, proposal }: CelProblem,
  isGenerated: boolean,
): MemberProblem {
  return isGenerated
    ? { ...place, position: null, message, proposal: null }
    : { ...place, position: { start: range.start, end: range.end }, message, proposal };
}
