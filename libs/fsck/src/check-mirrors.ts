import type { ArchiveInspection } from '@countersign/audit-log';
import type { AgentFacts, TopicName } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import type { ReportInspection } from '@countersign/reporting';
import { registeredAgent } from '@countersign/verification';
import type { FactInspection, PublicFact } from '@countersign/verification';
import { LAYOUT } from './layout.js';
import { compareOwner, compareReader, pendingOf, type Kept } from './mirrors.js';
import { digestOf, newestRecords } from './newest-records.js';
import type { ServiceStores } from './open-stores.js';
import { Reached } from './places.js';
import type { Check } from './report.js';

/** Each compacted topic against the store of the service that owns it. */
export async function checkOwners(
  log: StoredLog,
  { identity, policy, reports }: ServiceStores,
  check: Check,
): Promise<void> {
  for (const [file, store, topics] of [
    [LAYOUT.identity, identity, ['accounts', 'api-keys', 'sessions']],
    [LAYOUT.policy, policy, ['agents']],
    [LAYOUT.reports, reports, ['reports', 'compliance-scopes']],
  ] as const) {
    const pending = store === null ? new Set<string>() : await pendingOf(store);
    for (const topic of store === null ? [] : topics) {
      const place = `${file} ${topic}`;
      await compareOwner(log, { topic, place, rows: () => store!.owned(topic), pending }, check);
    }
  }
}

/** Registered agents as verification keeps them, against what the topic `agents` says of them. */
async function checkRegisteredAgents(log: StoredLog, facts: FactInspection, check: Check): Promise<void> {
  const published = newestRecords<AgentFacts>(log, 'agents', { values: true });
  const position = new Reached(await facts.positions('agents'));
  for await (const { kind, id, version, value: stored } of facts.facts()) {
    if (kind !== 'agent') continue;
    check.examined += 1;
    const newest = published.get(id);
    published.delete(id);
    const value = newest?.value ?? null;
    const agent = value === null ? null : registeredAgent(id, value);
    const place = `${LAYOUT.facts} facts agent/${id}`;
    if (newest === undefined || newest.version < version) check.wrong(place, 'the topic agents has no such record');
    else if (newest.version > version) {
      if (position.has(newest.offset)) check.wrong(place, `version ${version}, the topic agents has ${newest.version}`);
      else check.behind += 1;
    } else if (digestOf(agent) !== digestOf(stored))
      check.wrong(place, `it is not what the topic agents says at offset ${newest.offset}`);
  }
  for (const [id, { offset }] of published) {
    if (position.has(offset)) check.wrong(`agents offset ${offset}`, `${LAYOUT.facts} has no agent ${id}`);
    else check.behind += 1;
  }
}

/** Heads that audit-log has published must be those that it has, or earlier ones. */
export async function checkHeads(log: StoredLog, archive: ArchiveInspection, check: Check): Promise<void> {
  const published = newestRecords(log, 'agent-heads');
  for await (const { agentId: id, lastSequence: last, checks } of archive.agents()) {
    check.examined += 1;
    const head = published.get(id);
    published.delete(id);
    const version = head?.version ?? 0;
    if (version < last) check.behind += 1;
    else if (version > last || (head !== undefined && head.digest !== digestOf({ lastSequence: last, checks }))) {
      check.wrong(
        `${LAYOUT.archive} agents ${id}`,
        `the topic agent-heads has another head: sequence ${version}, not ${last}`,
      );
    }
  }
  for (const [id, { offset }] of published)
    check.wrong(`agent-heads offset ${offset}`, `${id} is not in ${LAYOUT.archive}`);
}

/** Records of the public topics that verification and reporting keep. */
export async function checkPublicFacts(log: StoredLog, { facts, reports }: ServiceStores, check: Check): Promise<void> {
  if (facts !== null) {
    for (const [topic, kinds] of KEPT) {
      const position = new Reached(await facts.positions(topic));
      const rows = (): AsyncIterable<Kept> => keptFacts(facts, kinds);
      const keeps = topic === 'anchors' ? { keeps: isKept } : {};
      await compareReader(log, { topic, place: LAYOUT.facts, rows, position, ...keeps }, check);
    }
    await checkRegisteredAgents(log, facts, check);
  }
  if (reports !== null) {
    await compareReader(
      log,
      {
        topic: 'anchors',
        place: `${LAYOUT.reports} anchors`,
        rows: () => keptAnchors(reports),
        position: new Reached(await reports.positions('anchors')),
        keeps: isKept,
      },
      check,
    );
  }
}

async function* keptAnchors(reports: ReportInspection): AsyncIterable<Kept> {
  for await (const { key, version, value } of reports.anchors()) {
    yield { id: key, key, version: Math.max(version, 1), value };
  }
}

/** Kinds of facts that verification keeps of a topic as the topic has them. */
const KEPT: readonly (readonly [topic: TopicName, kinds: readonly PublicFact['kind'][]])[] = [
  ['signing-keys', ['key']],
  ['reports', ['report']],
  ['agent-heads', ['agent-head']],
  ['anchors', ['authority', 'report-anchor']],
];

async function* keptFacts(facts: FactInspection, kinds: readonly PublicFact['kind'][]): AsyncIterable<Kept> {
  for await (const { kind, id, version, value } of facts.facts()) {
    if (value !== null && kinds.includes(kind))
      yield { id: `facts ${kind}/${id}`, key: keyOf(kind, id), version, value };
  }
}

/** Key of the record in its topic. */
function keyOf(kind: PublicFact['kind'], id: string): string {
  if (kind === 'authority') return `authority:${id}`;
  return kind === 'report-anchor' ? `report:${id}` : id;
}

function isKept(key: string): boolean {
  return key.startsWith('authority:') || key.startsWith('report:');
}
