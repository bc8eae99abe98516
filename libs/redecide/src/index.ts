export {
  breakText,
  describeRedecision,
  describeTotals,
  differenceText,
  reasonText,
  redecisionProblems,
  withheldCounts,
  withheldLines,
} from './describe.js';
export { namesInRules } from './profiles.js';
export { isReadable } from './readable.js';
export { statementOf } from './statement.js';
export { redecide } from './redecide.js';
export type { RedecideOptions } from './redecide.js';
export { sumOfTotals } from './totals.js';
export { redecisionCode, REDECISION_RULE, VERDICTS } from './result.js';
export type {
  Break,
  Difference,
  EngineVersion,
  Reason,
  RedecidedAgent,
  RedecidedEvent,
  Redecision,
  RedecisionTotals,
  Verdict,
} from './result.js';
