import type { PackageEvent, PackageRedecision } from '@countersign/contracts';
import type { EvidenceCrypto } from '@countersign/evidence';
import { redecide, statementOf } from '@countersign/redecide';
import { MOST_REDECIDED } from '../most-redecided.js';

/**
 * The statement that a package makes of its verdicts; `null`: they were not computed, since it has more than
 * {@link MOST_REDECIDED} events, or computing them failed. No report is lost by that.
 * @param failed receives what was thrown
 */
export function redecisionOf(
  events: readonly PackageEvent[],
  { sha256 }: Pick<EvidenceCrypto, 'sha256'>,
  failed: (error: unknown) => void,
): PackageRedecision | null {
  if (events.length > MOST_REDECIDED) return null;
  try {
    return statementOf(redecide({ events }, { sha256 }));
  } catch (error) {
    failed(error);
    return null;
  }
}
