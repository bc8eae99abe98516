import type { JsonValue, PackageEvent } from '@countersign/contracts';
import { shownValue } from '@countersign/evidence';
import type { Flow } from '../flow.js';
import type { ReportFacts } from '../report-facts.js';
import { counted, LIMITS } from './wording.js';

/** Refusals without a follow-up that section 6 lists by line: the newest. The entries of all of them follow it. */
const MOST_LISTED = 200;

/** Of the refusals of a report: how many a person has followed up, and a line for each of the newest that have no follow-up. */
export function drawFollowedUp(flow: Flow, denials: readonly PackageEvent[], facts: ReportFacts): void {
  const { followUps } = facts;
  if (followUps === null) {
    flow.paragraph(
      'Whether they were followed up is not in this report: it does not list the events of the account itself.',
    );
    return;
  }
  const open = denials.filter(({ event }) => !followUps.has(event.eventId));
  flow.paragraph(
    `Followed up by a person in the range of this report: ${denials.length - open.length}; not followed up: ${open.length}. Each entry says which, when and by whom.`,
  );
  if (open.length === 0) return;
  const listed = newestFirst(open).slice(0, MOST_LISTED);
  const rest = open.length - listed.length;
  const older = rest === 0 ? '' : `; ${counted(rest, 'older one is', 'older ones are')} not listed here`;
  flow.paragraph(`Not followed up, newest first${older}:`);
  flow.listing(
    line(HEAD),
    listed.map((entry) => lineOf(entry, facts)),
    6.2,
  );
}

/** Says of a refusal whether, when and by whom it was followed up, with the notes. @param shown cuts a text to a length */
export function followUpLine(
  entry: PackageEvent,
  facts: ReportFacts,
  shown: (text: string, limit: number) => string,
): string {
  const found = facts.followUps?.get(entry.event.eventId) ?? [];
  const texts = found.map((one) => {
    const { value } = shownValue(one.opened.action);
    const note = (value as { readonly note?: JsonValue } | undefined)?.note;
    const hidden = one.erased === true ? ', note erased' : ', note withheld';
    const said = typeof note === 'string' ? `: ${shown(note, LIMITS.reason)}` : hidden;
    return `${one.event.occurredAt} by ${one.event.detail ?? 'unknown'} (${facts.agentOf(one)} number ${one.sequence})${said}`;
  });
  return `Followed up in this report: ${texts.join('; ') || 'no'}`;
}

/** Of the same time, the later one of the report first: the order follows from the package alone. */
function newestFirst(entries: readonly PackageEvent[]): readonly PackageEvent[] {
  return entries
    .toReversed()
    .sort(({ event: a }, { event: b }) => (a.occurredAt < b.occurredAt ? 1 : a.occurredAt > b.occurredAt ? -1 : 0));
}

type Line = readonly [time: string, agent: string, number: string, id: string, severity: string, what: string];

const HEAD: Line = ['Time', 'Agent', 'Number', 'Event', 'Sev.', 'Violation'];
const WIDTHS = [26, 6, 8, 38, 6, 28];

function lineOf(entry: PackageEvent, facts: ReportFacts): string {
  const { event, sequence } = entry;
  const time = `${event.occurredAt}${entry.outsideRange === true ? '*' : ''}`;
  const what = event.violation_type ?? event.outcome ?? '–';
  return line([time, facts.agentOf(entry), `${sequence}`, event.eventId, event.severity ?? '–', what]);
}

function line(columns: Line): string {
  return columns.map((text, i) => text.padEnd(WIDTHS[i]!)).join('');
}
