import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AbsenceProof } from '@countersign/evidence';
import { ConfigurationError, type Config } from '@countersign/service-kit';

/** A window as the memo of its transaction names it. */
export interface WindowName {
  readonly text: string;
  readonly startMs: number;
  readonly durationSeconds: number;
}

/**
 * Proves that an agent had no event in a window, from anchoring's store on either profile; a running instance goes on.
 * @returns why there is no such proof, as text
 * @throws ConfigurationError; Error when the store cannot be read, or is not what was anchored
 */
export async function proveAbsence(
  config: Config,
  agentId: string,
  window: WindowName,
): Promise<AbsenceProof | string> {
  const directory = join(config.dataDir, 'anchoring');
  const mongodbUri = config.profile === 'distributed' ? config.mongodbUri : null;
  if (config.profile === 'distributed' && mongodbUri === null) throw new ConfigurationError(['MONGODB_URI is missing']);
  if (mongodbUri === null && !existsSync(join(directory, 'anchors.db'))) {
    return `there is no installation in ${config.dataDir}`;
  }
  const anchoring = await import('@countersign/anchoring');
  const answer = await anchoring.proveAbsence({ directory, mongodbUri }, agentId, window);
  switch (answer.kind) {
    case 'absent':
      return answer.proof;
    case 'present':
      return `the agent had events in the window ${window.text}: numbers ${answer.firstSequence} to ${answer.lastSequence}`;
    case 'not-anchored':
      return `the window ${window.text} is closed and not anchored yet: try again later`;
    case 'no-window':
      return `there is no closed window ${window.text}: it is open, or nobody had an event in it`;
  }
}
