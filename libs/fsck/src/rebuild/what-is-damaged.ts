import { LAYOUT, STORE_NAMES, type StoreName } from '../layout.js';
import type { Check, Report } from '../report.js';

/** Whose findings a check's are, where neither place nor problem names a file. */
const OF_CHECK: Readonly<Record<string, StoreName>> = {
  archive: 'archive',
  'anchored leaves': 'anchors',
  'public facts': 'facts',
};

/** Stores that findings speak of. */
export function damagedStores(report: Report): ReadonlySet<StoreName> {
  const damaged = new Set<StoreName>();
  for (const check of report.checks) {
    if (check.count === 0) continue;
    const named = STORE_NAMES.filter((name) => check.spokeOf.has(LAYOUT[name]));
    const fallback = OF_CHECK[check.name];
    for (const name of named) damaged.add(name);
    if (named.length === 0 && fallback !== undefined) damaged.add(fallback);
  }
  return damaged;
}

/**
 * Why nothing can be rebuilt from the log; `null`: it can.
 * @param backup what is to be restored then
 */
export function whyNotFromLog(report: Report, backup: string): string | null {
  const of = (name: string): Check | undefined => report.checks.find((check) => check.name === name);
  if (of('files')?.spokeOf.has(LAYOUT.log) === true || (of('event log')?.count ?? 0) > 0)
    return `${LAYOUT.log} itself has findings, and it is what the others are made from: restore it from a backup`;
  if ((of('archive')?.count ?? 0) > 0 && (of('anchored leaves')?.count ?? 0) > 0)
    return (
      'archive and anchoring, which are kept apart, both differ from the log: it may be the log that was changed. ' +
      `Restore ${backup} from a backup`
    );
  return null;
}
