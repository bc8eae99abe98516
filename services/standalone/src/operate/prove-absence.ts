import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AbsenceAnswer } from '@countersign/anchoring';
import { isoDuration, type AbsenceProof } from '@countersign/evidence';
import { ConfigurationError, type Config } from '@countersign/process';

/** A window as the memo of its transaction names it. */
export interface WindowName {
  readonly text: string;
  readonly startMs: number;
  readonly durationSeconds: number;
}

/** A wanted proof: the agent had no event in the window. */
export interface AbsenceWanted {
  readonly agentId: string;
  readonly window: WindowName;
}

/**
 * Proves that agents had no event in windows, from anchoring's store on either profile; an instance may be running.
 * @returns in the order of `wanted`: each proof, or the reason why there is none, as text
 * @throws ConfigurationError; Error if the store cannot be read, or differs from what was anchored
 */
export async function proveAbsence(
  config: Config,
  wanted: readonly AbsenceWanted[],
): Promise<readonly (AbsenceProof | string)[]> {
  const anchoring = await import('@countersign/anchoring');
  const labels = wanted.map(({ agentId, window }) => ({ agentId, label: window }));
  const answers = await anchoring.proveAbsences(storeOf(config), labels);
  return answers.map((answer, i) => shown(answer, wanted[i]!));
}

/** Maximum number of closed windows of one range. */
const RANGE_BOUND = 10_000;

/** Proofs for an agent in a range of time. */
export interface AbsencesInRange {
  readonly proofs: readonly AbsenceProof[];
  /** Number of windows in which the agent had events. */
  readonly present: number;
  /** Reasons why closed windows cannot be proven. */
  readonly refused: readonly string[];
}

/**
 * Proves that an agent had no event in the closed windows that overlap a range of time, except those in which it had some.
 * @param range `toMs` is exclusive
 * @throws ConfigurationError; Error if the range has more than {@link RANGE_BOUND} windows, the store cannot be read, or
 *   differs from what was anchored
 */
export async function proveAbsenceBetween(
  config: Config,
  agentId: string,
  range: { readonly fromMs: number; readonly toMs: number },
): Promise<AbsencesInRange> {
  const anchoring = await import('@countersign/anchoring');
  const source = storeOf(config);
  const labels = await anchoring.windowsBetween(source, range, RANGE_BOUND + 1);
  if (labels.length > RANGE_BOUND) {
    throw new Error(`more than ${RANGE_BOUND} windows lie between --from and --to: name a shorter time`);
  }
  const wanted = labels.map((label) => ({
    agentId,
    window: { ...label, text: `${new Date(label.startMs).toISOString()}/${isoDuration(label.durationSeconds)}` },
  }));
  const answers = await anchoring.proveAbsences(
    source,
    wanted.map(({ window }) => ({ agentId, label: window })),
  );
  const left = answers
    .map((answer, i) => ({ answer, wanted: wanted[i]! }))
    .filter(({ answer }) => answer.kind !== 'present');
  const all = left.map((one) => shown(one.answer, one.wanted));
  return {
    proofs: all.filter((one) => typeof one !== 'string'),
    present: answers.length - left.length,
    refused: all.filter((one) => typeof one === 'string'),
  };
}

/** @throws ConfigurationError; Error if there is no installation */
function storeOf(config: Config): { readonly directory: string; readonly mongodbUri: string | null } {
  const directory = join(config.dataDir, 'anchoring');
  const mongodbUri = config.profile === 'distributed' ? config.mongodbUri : null;
  if (config.profile === 'distributed' && mongodbUri === null) throw new ConfigurationError(['MONGODB_URI is missing']);
  if (mongodbUri === null && !existsSync(join(directory, 'anchors.db'))) {
    throw new Error(`there is no installation in ${config.dataDir}`);
  }
  return { directory, mongodbUri };
}

function shown(answer: AbsenceAnswer, { agentId, window }: AbsenceWanted): AbsenceProof | string {
  switch (answer.kind) {
    case 'absent':
      return answer.proof;
    case 'present':
      return `the agent had events in the window ${window.text}: ${agentId}, numbers ${answer.firstSequence} to ${answer.lastSequence}`;
    case 'not-anchored':
      return `the window ${window.text} is closed and not anchored yet: try again later`;
    case 'no-window':
      return `there is no closed window ${window.text}: it is open, or no agent had an event in it`;
  }
}
