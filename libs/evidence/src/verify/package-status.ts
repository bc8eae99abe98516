import type { LeafEvent, ReportedOutcome, SignedPackage } from '@countersign/contracts';
import { canonicalize } from '../json/canonicalize.js';
import { shownValue } from '../leaf/opening.js';
import { eventStatus, namesDataScope, type StatusVerdict } from '../package/event-status.js';
import { oversightOf } from '../package/oversight.js';
import { summarize } from '../package/summary.js';
import type { CheckedEntry } from './package-entries.js';
import type { Findings } from './findings.js';

interface Relations {
  readonly byId: ReadonlyMap<string, LeafEvent>;
  readonly reported: ReadonlyMap<string, readonly ReportedOutcome[]>;
  readonly unanswered: ReadonlySet<string>;
}

/**
 * Checks that statuses follow from the table as far as the package shows what they depend on, and that the summary
 * counts its entries.
 */
export function checkStatuses(pkg: SignedPackage, entries: readonly CheckedEntry[], findings: Findings): void {
  const relations = relate(entries);
  for (const checked of entries) {
    const { entry, index, leaf } = checked;
    const possible = possibleVerdicts(checked, relations);
    if (possible.some(({ status, statusReason }) => status === entry.status && statusReason === entry.statusReason)) {
      continue;
    }
    const message = `By the table the status is "${possible[0]!.status}".`;
    findings.problem('status-differs', `events[${index}].status`, message, leaf.eventId);
  }
  if (isReadable(pkg, entries)) {
    checkSummary(pkg, entries, findings);
    checkOversight(pkg, entries, findings);
  }
  findings.checked.push('the statuses and the summary, from the events themselves');
}

function relate(entries: readonly CheckedEntry[]): Relations {
  const byId = new Map(entries.map(({ leaf }) => [leaf.eventId, leaf]));
  const reported = new Map<string, ReportedOutcome[]>();
  const unanswered = new Set<string>();
  for (const { leaf } of entries) {
    if (leaf.refersTo === null || byId.get(leaf.refersTo)?.agentId !== leaf.agentId) continue;
    if (leaf.type === 'action.unanswered') unanswered.add(leaf.refersTo);
    if (leaf.type !== 'action.outcome') continue;
    const list = reported.get(leaf.refersTo) ?? [];
    list.push(leaf.outcome as ReportedOutcome);
    reported.set(leaf.refersTo, list);
  }
  return { byId, reported, unanswered };
}

/**
 * The verdict that the package alone gives, first; then those that facts outside of it would give: an outcome reported
 * later, a check before the range, an action that is not opened or only in part. A status is wrong only where none of them fits.
 */
function possibleVerdicts({ entry, leaf, holds }: CheckedEntry, relations: Relations): readonly StatusVerdict[] {
  const reported = relations.reported.get(leaf.eventId) ?? [];
  const unanswered = relations.unanswered.has(leaf.eventId);
  const referred = leaf.refersTo === null ? null : (relations.byId.get(leaf.refersTo) ?? null);
  const { value: action, withheld } = shownValue(entry.opened.action);
  const shown = action !== undefined && (withheld === 0 || Object.hasOwn(action as object, 'dataScope'));
  const known = leaf.actionKind !== 'data_access' || shown;
  const dataScope = !shown || namesDataScope(action);

  const verdicts: StatusVerdict[] = [];
  const refusal: LeafEvent = { ...leaf, type: 'action.checked', allowed: false };
  for (const reports of reported.length > 0 ? [reported] : [reported, ['succeeded'] as const]) {
    for (const silent of unanswered ? [true] : [false, true]) {
      for (const check of leaf.type !== 'action.outcome' || referred !== null ? [referred] : [null, refusal]) {
        for (const scope of known ? [dataScope] : [true, false]) {
          verdicts.push(
            eventStatus({
              event: leaf,
              holds,
              reported: reports,
              unanswered: silent,
              referred: check,
              dataScope: scope,
            }),
          );
        }
      }
    }
  }
  return verdicts;
}

/** With an entry that is not a leaf the counts are undefined, and that is a problem already. */
function isReadable(pkg: SignedPackage, entries: readonly CheckedEntry[]): boolean {
  return entries.length === pkg.events.length && entries.every(({ proof }) => proof !== null);
}

function checkSummary(pkg: SignedPackage, entries: readonly CheckedEntry[], findings: Findings): void {
  const expected = summarize(
    entries.map(({ leaf, entry }) => ({ event: leaf, status: entry.status })),
    pkg.inclusionProofs,
  );
  for (const name of Object.keys(expected) as (keyof typeof expected)[]) {
    if (canonicalize(pkg.summary[name]) === canonicalize(expected[name])) continue;
    findings.problem('summary-differs', `summary.${name}`, 'The figure is not what the events add up to.');
  }
}

function checkOversight({ oversight }: SignedPackage, entries: readonly CheckedEntry[], findings: Findings): void {
  if (oversight === undefined) return;
  const expected = oversightOf(entries.map(({ leaf, entry }) => ({ ...entry, event: leaf })));
  for (const name of Object.keys(expected) as (keyof typeof expected)[]) {
    if (canonicalize(oversight[name]) === canonicalize(expected[name])) continue;
    findings.problem('oversight-differs', `oversight.${name}`, 'The events of the package give another value.');
  }
  findings.checked.push('the figures on human oversight, from the events themselves');
}
