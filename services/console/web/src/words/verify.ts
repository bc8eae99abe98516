import type { Tally } from '../verify/use-many.js';
import type { RedecidedKind, VerifiedKind } from '../verify/verified-kind.js';
import { number } from './en.js';

/** Numbers with their texts, without those of 0. */
function counted(parts: readonly (readonly [count: number, text: string])[]): readonly string[] {
  return parts.filter(([count]) => count > 0).map(([count, text]) => `${number(count)} ${text}`);
}

/** Texts of what is verified in the browser. */
export const verifyWords = {
  action: 'Verify in this browser',
  failed: 'It could not be verified',
  verdicts: {
    holds: ['Verified', 'Everything that can be checked was checked in this browser, and holds.'],
    partly: ['Nothing is wrong, but not everything was checked', 'What was not checked, and why, stands below.'],
    refused: ['Does not hold', 'Do not rely on it: something in it is wrong.'],
  },
  kept: 'The server could not be reached: this is the file as it was read at',
  details: (checked: number, open: number) => `${checked} checked, ${open} not checked`,
  oversight: 'Human oversight',
  checked: 'Checked',
  notChecked: 'Not checked',
  key: 'Key',
  chain: 'Chain',
  recomputed: {
    same: 'Computed again: every verdict follows from the policy',
    partly: 'Computed again: not every verdict could be confirmed',
    differs: 'Computed again: something does not follow from the policy',
  },
  more: (count: number) => `and ${count} more`,
  rpc: 'Solana RPC address',
  rpcHint: 'Your own node, or one that you trust: only this browser asks it. Empty: the chain is not asked.',
} as const;

/** Texts of several events that are verified in the browser. */
export const manyWords = {
  action: 'Verify rows on screen',
  chosen: (count: number) => `Verify ${number(count)} chosen`,
  all: (count: number) => `Verify all ${number(count)} loaded`,
  stop: 'Stop',
  progress: (done: number, of: number) => `Verifying ${number(done)} of ${number(of)} …`,
  result: ({ of, ids }: Pick<Tally<VerifiedKind>, 'of' | 'ids'>): string => {
    const [holds, partly, waiting, refused, failed] = [ids.holds, ids.partly, ids.waiting, ids.refused, ids.failed].map(
      ({ length }) => length,
    ) as [number, number, number, number, number];
    const anchored = of - waiting;
    const open = anchored - holds - partly - refused - failed;
    return [
      ...(anchored === 0 ? [] : [`${number(holds + partly)} of ${number(anchored)} hold`]),
      ...counted([
        [refused, 'do not hold'],
        [failed, 'could not be verified'],
        [open, 'not reached'],
        [waiting, 'not anchored yet'],
      ]),
    ].join(', ');
  },
  partly: (count: number) =>
    `Of ${number(count)} leaf, hash and both paths hold, but they were not compared with the chain in full: open an event to choose a node, or to see what is missing.`,
  verified: 'Leaf, hash, both paths, and the transaction that holds the root, by the node that you chose.',
  nothing: 'No row is on screen',
  more: (count: number) => `and ${number(count)} more`,
  moreReasons: (count: number) => `and ${number(count)} other reasons`,
} as const;

/** Texts of verdicts that are computed again. */
export const redecisionWords = {
  action: (chosen: number) => (chosen === 0 ? 'Decide rows again' : `Decide ${number(chosen)} again`),
  progress: (done: number, of: number) => `Deciding ${number(done)} of ${number(of)} again …`,
  result: ({ of, ids: { same, different, open, failed } }: Pick<Tally<RedecidedKind>, 'of' | 'ids'>): string => {
    const left = of - same.length - different.length - open.length - failed.length;
    return counted([
      [same.length, 'same'],
      [different.length, 'different'],
      [open.length, 'cannot be computed again'],
      [failed.length, 'could not be asked for'],
      [left, 'not reached'],
    ]).join(', ');
  },
  note: 'By the server, under the profile of then, with the balances that each check saw. A report has it computed by its reader.',
  differs: 'differs',
  noCheck: 'no check: nothing was decided',
  erased: 'the content is erased',
  reasons: {
    version: 'recorded in a format before the context of checks was kept',
    context: 'the context of the check is not kept',
    action: 'the action is not kept',
    profile: 'no stored profile has the hash of the leaf',
    payload: 'the payload was not stored, and rules read payloads',
    rule: 'a rule uses a function that cannot be evaluated here',
    no_room: 'the counters had no room for what the check counts',
    engine: 'another version of the engine decided, and its verdict differs',
    verdict: 'the verdict differs',
    unreadable: 'this version does not read its record',
    size: 'the action is too long to be decided again here: a report has it',
  },
  one: {
    same: 'Computed again: the verdict follows from the policy.',
    different: 'Computed again: the verdict does not follow from the policy.',
    open: (reason: string) => `Not computed again: ${reason}.`,
    member: (member: string, recorded: unknown, recomputed: unknown) =>
      `${member}: recorded ${JSON.stringify(recorded)}, computed ${JSON.stringify(recomputed)}`,
  },
} as const;
