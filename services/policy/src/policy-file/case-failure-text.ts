import type { ExpectedAnswer } from './read-policy-file.js';
import type { CaseFailure } from './run-cases.js';

/** A case that failed as one line: its title and step, what was expected, and what came. */
export function caseFailureText({ title, step, given, expected, came }: CaseFailure): string {
  const place = given === undefined ? (step === null ? null : `step ${step}`) : `given ${given}`;
  const location = place === null ? title : `${title} (${place})`;
  const asked = Object.keys(expected) as (keyof ExpectedAnswer)[];
  const said = (['allowed', 'violation_type', 'rule', 'code'] as const).filter((member) => came[member] !== null);
  const members = [...new Set([...said, ...asked])];
  return `${location}: expected ${answerText(expected, asked)}, came ${answerText(came, members)}`;
}

function answerText(answer: ExpectedAnswer, members: readonly (keyof ExpectedAnswer)[]): string {
  const parts = members.map((member) => {
    const value = answer[member];
    if (member === 'allowed') return value === true ? 'allowed' : 'denied';
    return value === null ? `no ${member}` : `${member} ${String(value)}`;
  });
  return parts.join(', ');
}
