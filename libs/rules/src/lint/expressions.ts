import type { Program } from '../cel/program.js';
import type { CompiledRules } from '../judge/compile-rules.js';
import { ruleTexts } from '../members/matchers.js';
import type { LintFinding } from './finding.js';

/** An expression of a profile, with the place of its text. */
export interface Expression {
  readonly place: string;
  readonly index: number;
  /** `when`, `set_when`, `key`, `sum`; `args` for the matchers of a rule. */
  readonly member: string;
  readonly tools: readonly string[] | undefined;
  readonly program: Program;
  /** The expression as its author wrote it; `null` for matchers. */
  readonly written: string | null;
  /** Texts to check by types, with their places; one of a matcher is checked by itself. */
  readonly texts: readonly { readonly member: string; readonly cel: string }[];
}

/** All expressions of a profile, in its order. */
export function expressionsOf({ rules, facts, limits }: CompiledRules): readonly Expression[] {
  return [
    ...rules.flatMap(({ member, matchers, when }, index): readonly Expression[] => {
      const about = { place: `rules:${member.id}`, index, tools: member.tools };
      const texts = ruleTexts(member)
        .filter(({ place }) => place !== 'when')
        .map(({ place, cel }) => ({ member: place, cel }));
      return [
        ...(matchers === null ? [] : [{ ...about, member: 'args', program: matchers, written: null, texts }]),
        ...(when === null ? [] : [written(about, 'when', when, member.when)]),
      ];
    }),
    ...facts.map(({ member, setWhen }, index) =>
      written({ place: `facts:${member.id}`, index, tools: member.tools }, 'set_when', setWhen, member.set_when),
    ),
    ...limits.flatMap(({ member, key, sum }, index) => {
      const about = { place: `limits:${member.id}`, index, tools: member.tools };
      return [
        ...(key === null ? [] : [written(about, 'key', key, member.key)]),
        ...(sum === null ? [] : [written(about, 'sum', sum, member.sum)]),
      ];
    }),
  ];
}

function written(
  about: Pick<Expression, 'place' | 'index' | 'tools'>,
  member: string,
  program: Program,
  text: string | undefined,
): Expression {
  return { ...about, member, program, written: text ?? null, texts: [{ member, cel: program.text }] };
}

/**
 * Where an expression reads a member: of matchers, the key; of a written expression, the offsets of the name.
 * @param read as `Program.reads` gives it
 * @param name the part of it that a finding is about
 */
export function placeOfRead(
  { member, written: text }: Expression,
  read: string,
  name: string,
): Pick<LintFinding, 'member' | 'position'> {
  if (text === null) return { member: read.replaceAll('[]', ''), position: null };
  const start = positionOf(text, name);
  return { member, position: start < 0 ? null : { start, end: start + name.length } };
}

/** Offset of a name that stands by itself, first as a member (`.name`); -1 for none. */
function positionOf(text: string, name: string): number {
  for (const before of ['.', '']) {
    for (let at = text.indexOf(before + name); at >= 0; at = text.indexOf(before + name, at + 1)) {
      const [start, end] = [at + before.length, at + before.length + name.length];
      const isAlone = !/[\w$]/.test(text[end] ?? '') && (before !== '' || !/[\w$]/.test(text[start - 1] ?? ''));
      if (isAlone) return start;
    }
  }
  return -1;
}
