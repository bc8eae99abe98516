import type { InclusionProof, JsonValue, PackageEvent, SignedPackage } from '@countersign/contracts';
import { type CommitmentKind, shownValue } from '@countersign/evidence';
import type { Flow } from '../flow.js';
import type { ReportFacts } from '../report-facts.js';
import type { Span } from '../spans.js';
import { drawFollowedUp, followUpLine } from './follow-ups.js';
import { counted, eventLabel, FRAMEWORK_NAMES, LIMITS } from './wording.js';

const isGap = ({ status }: PackageEvent): boolean => status === 'Gap, review required';
const isDenial = ({ event }: PackageEvent): boolean => event.allowed === false;

/** Sections 5 and 6: every gap, then every denial that is not a gap, with all details from the package. */
export function drawFindings(flow: Flow, content: SignedPackage, facts: ReportFacts): void {
  const draw = (wanted: (entry: PackageEvent) => boolean): void =>
    content.events.forEach((entry, i) => {
      if (wanted(entry)) drawEntry(flow, entry, content.inclusionProofs[i] ?? null, facts);
    });
  const gaps = content.events.filter(isGap).length;
  const denials = content.events.filter(isDenial).length;
  const both = content.events.filter((entry) => isGap(entry) && isDenial(entry)).length;
  flow.heading(2, '5  Gaps, review required', true);
  flow.paragraph(
    gaps === 0 ? 'No event of this report is a gap.' : `${counted(gaps, 'event')}, in the order of agents and numbers.`,
  );
  draw(isGap);
  flow.heading(2, '6  Denials');
  flow.paragraph(denialsText(denials, both));
  if (denials > 0) drawFollowedUp(flow, content.events.filter(isDenial), facts);
  draw((entry) => isDenial(entry) && !isGap(entry));
}

function denialsText(denials: number, both: number): string {
  if (denials === 0) return 'No action was refused in this report.';
  const attempt = 'A refusal is an attempt: several frameworks want it looked at although the control worked.';
  const inSection5 =
    both === 1 ? '1 of them is a gap and stands in section 5' : `${both} of them are gaps and stand in section 5`;
  const where = both === 0 ? 'All follow.' : both === denials ? `${inSection5}.` : `${inSection5}; the others follow.`;
  return `${counted(denials, 'refused action')}. ${where} ${attempt}`;
}

function drawEntry(flow: Flow, entry: PackageEvent, proof: InclusionProof | null, facts: ReportFacts): void {
  const { event, sequence, status, statusReason } = entry;
  const shown = (text: string | null, limit: number): string => (text === null ? '–' : flow.sheet.shown(text, limit));
  const severity = event.severity === null ? '' : ` · ${event.severity}`;
  const title = `${facts.agentOf(entry)} · number ${sequence} · ${event.occurredAt} · ${eventLabel(event)}${severity}`;
  const lines: Span[] = [
    { text: title, ink: { face: 'bold', colour: isGap(entry) ? 'red' : 'black' } },
    { text: `Status: ${status}${statusReason === null ? '' : ` – ${shown(statusReason, LIMITS.reason)}`}` },
  ];
  if (event.violation_type !== null)
    lines.push({ text: `Violation: ${event.violation_type}; rule: ${shown(event.rule, LIMITS.reason)}` });
  if (event.reason !== null) lines.push({ text: `Reason: ${shown(event.reason, LIMITS.reason)}` });
  if (event.detail !== null) lines.push({ text: `Detail: ${shown(event.detail, LIMITS.reason)}` });
  if (event.profileVersion !== null)
    lines.push({ text: `Profile: version ${event.profileVersion}, SHA-256 ${event.profileSha256 ?? '–'}` });
  lines.push({ text: `Action: ${shown(openedText(entry, 'action'), LIMITS.content)}` });
  if (event.payload !== null) lines.push({ text: `Payload: ${shown(openedText(entry, 'payload'), LIMITS.content)}` });
  if ((event.context ?? null) !== null)
    lines.push({ text: `Context: ${shown(openedText(entry, 'context'), LIMITS.content)}` });
  if (event.refersTo !== null) lines.push({ text: `Refers to event ${event.refersTo}` });
  const outcomes = (facts.referring.get(event.eventId) ?? []).map(
    (one) =>
      `${one.event.outcome ?? 'answer in doubt'} (${facts.agentOf(one)} number ${one.sequence}, ${one.event.occurredAt})`,
  );
  if (event.type === 'action.checked')
    lines.push({ text: `Outcome reported in this report: ${outcomes.join('; ') || 'none'}` });
  if (isDenial(entry) && facts.followUps !== null) lines.push({ text: followUpLine(entry, facts, shown) });
  lines.push({ text: `Controls: ${controlsText(entry)} (group ${facts.groupOf(entry).label})` });
  lines.push({ text: `Event ${event.eventId}; ${proofText(proof)}`, ink: { colour: 'grey', size: 7 } });
  flow.block(lines);
}

function openedText({ opened, erased, event }: PackageEvent, which: CommitmentKind): string {
  if ((event[which] ?? null) === null) return 'none';
  const opening = opened[which];
  const { value, withheld } = shownValue(opening);
  if (value !== undefined && withheld > 0) {
    return `${jsonText(value)}; ${counted(withheld, 'member')} withheld, commitment ${event[which]}`;
  }
  if (value !== undefined) return jsonText(value);
  if (erased === true) return `erased; commitment ${event[which]}`;
  return opening === undefined
    ? `withheld or not kept; commitment ${event[which]}`
    : `not kept; commitment ${event[which]}`;
}

function jsonText(value: JsonValue): string {
  return JSON.stringify(value);
}

function controlsText({ controls }: PackageEvent): string {
  const byFramework = new Map<string, string[]>();
  for (const { framework, controlId } of controls) {
    const name = FRAMEWORK_NAMES[framework].split(' – ')[0]!;
    byFramework.set(name, [...(byFramework.get(name) ?? []), controlId]);
  }
  return [...byFramework].map(([name, ids]) => `${name}: ${ids.join(', ')}`).join('; ') || 'none';
}

function proofText(proof: InclusionProof | null): string {
  if (proof === null || !proof.anchored) return 'not anchored when this was issued';
  return `anchored in window ${proof.windowStart}, leaf ${proof.leafIndex + 1} of ${proof.treeSize}, root ${proof.merkleRoot}`;
}
