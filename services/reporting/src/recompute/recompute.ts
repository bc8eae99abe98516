import { inspect } from 'node:util';
import type { PackageEvent, PackageRedecision } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { redecide, statementOf } from '@countersign/redecide';

/** The statement that a package makes of its verdicts; without one the reason why it could not be computed. */
export type Recomputed = { readonly statement: PackageRedecision } | { readonly statement: null; readonly why: string };

/** Computes the verdicts of a package again, from its entries alone. */
export function recompute(events: readonly PackageEvent[]): Recomputed {
  try {
    return { statement: statementOf(redecide({ events }, { sha256: nodeCrypto.sha256 })) };
  } catch (error) {
    return { statement: null, why: inspect(error) };
  }
}
