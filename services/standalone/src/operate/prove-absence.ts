import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AbsenceAnswer } from '@countersign/anchoring';
import type { AbsenceProof } from '@countersign/evidence';
import { ConfigurationError, type Config } from '@countersign/service-kit';

/** A window as the memo of its transaction names it. */
export interface WindowName {
  readonly text: string;
  readonly startMs: number;
  readonly durationSeconds: number;
}

/** What is to be proven: that the agent had no event in the window. */
export interface AbsenceWanted {
  readonly agentId: string;
  readonly window: WindowName;
}

/**
 * Proves that agents had no event in windows, from anchoring's store on either profile; a running instance goes on.
 * @returns in the order of what is wanted: each proof, or why there is none, as text
 * @throws ConfigurationError; Error when the store cannot be read, or is not what was anchored
 */
export async function proveAbsence(
  config: Config,
  wanted: readonly AbsenceWanted[],
): Promise<readonly (AbsenceProof | string)[]> {
  const directory = join(config.dataDir, 'anchoring');
  const mongodbUri = config.profile === 'distributed' ? config.mongodbUri : null;
  if (config.profile === 'distributed' && mongodbUri === null) throw new ConfigurationError(['MONGODB_URI is missing']);
  if (mongodbUri === null && !existsSync(join(directory, 'anchors.db'))) {
    return [`there is no installation in ${config.dataDir}`];
  }
  const anchoring = await import('@countersign/anchoring');
  const labels = wanted.map(({ agentId, window }) => ({ agentId, label: window }));
  const answers = await anchoring.proveAbsences({ directory, mongodbUri }, labels);
  return answers.map((answer, i) => told(answer, wanted[i]!));
}

function told(answer: AbsenceAnswer, { agentId, window }: AbsenceWanted): AbsenceProof | string {
  switch (answer.kind) {
    case 'absent':
      return answer.proof;
    case 'present':
      return `the agent had events in the window ${window.text}: ${agentId}, numbers ${answer.firstSequence} to ${answer.lastSequence}`;
    case 'not-anchored':
      return `the window ${window.text} is closed and not anchored yet: try again later`;
    case 'no-window':
      return `there is no closed window ${window.text}: it is open, or nobody had an event in it`;
  }
}
