import { isAccountStream } from '@countersign/contracts';
import type { JsonValue, PackageEvent, SignedPackage } from '@countersign/contracts';
import { shownValue } from '@countersign/evidence';
import type { Flow } from '../flow.js';
import type { AgentFigures, ReportFacts } from '../report-facts.js';
import type { Span } from '../spans.js';
import { differenceLines, profileLines } from './profile-difference.js';
import { counted, LIMITS } from './wording.js';

type Members = Readonly<Record<string, JsonValue>>;

/** The row of the first page that says how often policies and freezes changed. */
export function policiesText({ events }: SignedPackage): string {
  const count = (type: string): number => events.filter(({ event }) => event.type === type).length;
  const changes = counted(count('profile.changed'), 'change of a profile', 'changes of profiles');
  return `${changes}, ${counted(count('agent.frozen'), 'freeze')}, ${counted(count('agent.unfrozen'), 'end of a freeze', 'ends of freezes')}: annex C`;
}

/**
 * Annex C: for each agent the version of the profile at the beginning, as its first check names it, then each change with
 * its difference, and each freeze, with who and when.
 */
export function drawPolicies(flow: Flow, content: SignedPackage, facts: ReportFacts): void {
  flow.heading(2, 'Annex C  Policies in force', true);
  flow.paragraph(
    'For each agent the version of its profile at the beginning, as the first check of this report names it, and each change and freeze in the period. The hash of the profile in force is in every check and so under the anchor. A person is named by the identifier that the event has; whose it is, the organisation knows.',
  );
  const byAgent = new Map(content.agents.map(({ id }) => [id, [] as PackageEvent[]]));
  for (const entry of content.events) byAgent.get(entry.event.agentId)?.push(entry);
  for (const figures of facts.agents) {
    const { id } = figures.agent;
    if (!isAccountStream(id)) drawAgent(flow, figures, byAgent.get(id) ?? [], content);
  }
}

function drawAgent(
  flow: Flow,
  { label, agent }: AgentFigures,
  entries: readonly PackageEvent[],
  content: SignedPackage,
): void {
  flow.heading(3, `${label}  ${flow.sheet.shown(agent.name, LIMITS.name)}`);
  flow.paragraph(beginningText(entries));
  let before: Members | null = null;
  for (const entry of entries) {
    const { event, sequence } = entry;
    if (!['profile.changed', 'agent.frozen', 'agent.unfrozen'].includes(event.type)) continue;
    const said = membersOf(shownValue(entry.opened.action).value);
    const by = `by ${actorText(flow.sheet, said?.['by'], content)}`;
    const head: Span = {
      text: `${event.occurredAt} · number ${sequence} · ${event.type} ${by}`,
      ink: { face: 'bold' },
    };
    if (event.type === 'profile.changed') {
      const profile = membersOf(said?.['profile']);
      flow.block([head, ...changeLines(flow, entry, before, profile)]);
      before = profile;
    } else {
      const reason = said?.['reason'];
      const text = typeof reason === 'string' ? flow.sheet.shown(reason, LIMITS.reason) : 'none shown';
      flow.block([head, { text: `Reason: ${text}` }]);
    }
  }
}

/** Names the profile of the first check, unless a change precedes it. */
function beginningText(entries: readonly PackageEvent[]): string {
  const first = entries.find(({ event }) => event.type === 'action.checked' || event.type === 'profile.changed');
  if (first === undefined) return 'No check and no change of its profile in this report.';
  const { type, profileVersion, profileSha256 } = first.event;
  if (type === 'profile.changed') return 'No check precedes the first change of its profile in this report.';
  return `At the beginning: version ${profileVersion ?? '–'}, SHA-256 ${profileSha256 ?? '–'}.`;
}

function changeLines(flow: Flow, { event }: PackageEvent, before: Members | null, profile: Members | null): Span[] {
  const named = { text: `Version ${event.profileVersion ?? '–'}, SHA-256 ${event.profileSha256 ?? '–'}` };
  if (profile === null) return [named, { text: 'The profile is withheld or erased: only its hash is known here.' }];
  const lines = before === null ? profileLines(profile) : differenceLines(before, profile);
  const title =
    before === null
      ? 'Rules, as a whole, since the profile before is not in this report:'
      : 'Difference from the profile before:';
  const none = before === null ? 'no rule' : 'none in the rules';
  const texts = lines.length === 0 ? [none] : lines;
  return [named, { text: title }, ...texts.map((text) => ({ text: `– ${flow.sheet.shown(text, LIMITS.content)}` }))];
}

/** `user <id>`, with the name of the person who prepared the report where it is the same. */
function actorText(sheet: Flow['sheet'], by: JsonValue | undefined, { audit }: SignedPackage): string {
  const actor = membersOf(by);
  const [kind, id] = [actor?.['kind'], actor?.['id']];
  if (typeof kind !== 'string') return 'an actor withheld or erased';
  if (typeof id !== 'string') return kind.replaceAll('_', ' ');
  const name = kind === 'user' && id === audit?.preparedBy.id ? ` (${audit.preparedBy.name})` : '';
  return sheet.shown(`${kind.replaceAll('_', ' ')} ${id}${name}`, LIMITS.name);
}

function membersOf(value: JsonValue | undefined): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null;
}
