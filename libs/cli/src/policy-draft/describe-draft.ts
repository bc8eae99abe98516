import type { PolicyDraft } from '@countersign/policy/policy-files';
import { oneLine } from '../verify-file/describe-package.js';
import { basisOf } from './draft-file.js';
import type { DraftHead } from './draft-file.js';

/** The entries that were drafted and left out, and the checks that they would have denied, in lines. */
export function draftText(
  { drafted, leftOut, readable, rests, replay }: PolicyDraft,
  { agentId, from, to }: DraftHead,
  truncated: boolean,
): string {
  const { checks, notAllowed, erased, withheld } = readable;
  const held = replay.held.checks;
  const lines = [
    `agent ${agentId}, ${from} to ${to}${truncated ? '; the newest checks alone: --most reads more' : ''}`,
    `the draft rests on ${rests} allowed checks of ${checks}: ${notAllowed} not allowed, ${erased} erased, arguments of ${withheld} withheld`,
    '',
    ...drafted.map((one) => `${one.place}: ${basisOf(one)}`),
    ...(leftOut.length === 0 ? [] : ['', 'not drafted:']),
    ...leftOut.map(({ what, why }) => `${what}: ${why}`),
    '',
    `replayed over the checks on which it rests: ${resultText(replay.before)}`,
    ...denials(replay.before),
    ...(held === 0 ? [] : [`replayed over ${held} later checks that were held out: ${resultText(replay.held)}`]),
    ...denials(replay.held),
  ];
  return `${lines.map(oneLine).join('\n')}\n`;
}

type Tallied = PolicyDraft['replay']['before'];

function resultText({ evaluated, flips, notEvaluated }: Tallied): string {
  const parts = [
    `${flips.toDenied} of ${evaluated} would be denied that were allowed`,
    ...(flips.toAllowed === 0 ? [] : [`${flips.toAllowed} would be allowed that were denied`]),
    ...(notEvaluated.count === 0 ? [] : [`${notEvaluated.count} cannot be judged`]),
  ];
  return parts.join(', ');
}

function denials({ byRule }: Tallied): readonly string[] {
  return byRule
    .filter(({ toDenied }) => toDenied > 0)
    .map(({ rule, violation_type: type, toDenied, examples }) => {
      const example = examples[0] === undefined ? '' : `, e.g. event ${examples[0].eventId}`;
      return `  ${rule ?? type ?? ''}: ${toDenied}${example}`;
    });
}
