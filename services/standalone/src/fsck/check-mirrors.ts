import type { AgentFacts } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import { registeredAgent } from '@countersign/verification';
import { LAYOUT, type StoreName } from './layout.js';
import { compareOwner, compareReader, pendingIn, type KeptRow, type OwnedRow, type Owner } from './mirrors.js';
import { digestOf, newestRecords } from './newest-records.js';
import type { Store, Stores } from './open-stores.js';
import { Reached } from './places.js';
import type { Check } from './report.js';
import { hasColumn } from './rows/positions.js';

/** Each compacted topic against the store of the service that owns it. */
export function checkOwners(
  log: StoredLog,
  { identity, policy, reports }: Pick<Stores, StoreName>,
  check: Check,
): void {
  const owner = (store: Store, topic: Owner['topic'], file: string, query: string): void => {
    const statement = store.prepare<[], OwnedRow>(query);
    compareOwner(
      log,
      { topic, place: `${file} ${topic}`, rows: () => statement.iterate(), pending: pendingIn(store) },
      check,
    );
  };
  if (identity !== null) {
    owner(identity, 'accounts', LAYOUT.identity, 'SELECT id, version, facts AS value FROM accounts');
    owner(identity, 'api-keys', LAYOUT.identity, 'SELECT id, version, facts AS value FROM api_keys');
    owner(identity, 'sessions', LAYOUT.identity, 'SELECT id, version, facts AS value FROM sessions');
  }
  if (policy !== null) {
    owner(policy, 'agents', LAYOUT.policy, 'SELECT id, revision AS version, facts AS value FROM agents');
  }
  if (reports !== null) {
    owner(reports, 'reports', LAYOUT.reports, `SELECT id, version, body -> '$.facts' AS value FROM reports`);
    if (hasColumn(reports, 'scopes', 'declared_at')) owner(reports, 'compliance-scopes', LAYOUT.reports, DECLARED);
  }
}

/** Scopes from before they were told have version 0, and are told at the next start. */
const DECLARED = `SELECT account_id AS id, version, json_object('scope', json(body), 'declaredAt', declared_at) AS value
  FROM scopes WHERE version > 0`;

/** Registered agents as verification keeps them, against what the topic `agents` says of them. */
function checkRegisteredAgents(log: StoredLog, facts: Store, check: Check): void {
  const told = newestRecords<AgentFacts>(log, 'agents', { values: true });
  const position = positionOf(facts, 'agents');
  const rows = facts.prepare<[], { id: string; version: number; body: string | null }>(
    `SELECT id, version, body FROM facts WHERE kind = 'agent'`,
  );
  for (const { id, version, body } of rows.iterate()) {
    check.examined += 1;
    const newest = told.get(id);
    told.delete(id);
    const value = newest?.value ?? null;
    const agent = value === null ? null : registeredAgent(id, value);
    const place = `${LAYOUT.facts} facts agent ${id}`;
    if (newest === undefined || newest.version < version) check.wrong(place, 'the topic agents has no such record');
    else if (newest.version > version) {
      if (position.has(newest.offset)) check.wrong(place, `version ${version}, the topic agents has ${newest.version}`);
      else check.behind += 1;
    } else if (digestOf(agent) !== digestOf(body === null ? null : JSON.parse(body)))
      check.wrong(place, `it is not what the topic agents says at offset ${newest.offset}`);
  }
  for (const [id, { offset }] of told) {
    if (position.has(offset)) check.wrong(`agents offset ${offset}`, `${LAYOUT.facts} has no agent ${id}`);
    else check.behind += 1;
  }
}

/** Heads that audit-log has told must be those that it has, or earlier ones. */
export function checkHeads(log: StoredLog, archive: Store, check: Check): void {
  const told = newestRecords(log, 'agent-heads');
  const heads = archive.prepare<[], { id: string; last: number; checks: number }>(
    'SELECT id, last_sequence AS last, checks FROM agents',
  );
  for (const { id, last, checks } of heads.iterate()) {
    check.examined += 1;
    const head = told.get(id);
    told.delete(id);
    const version = head?.version ?? 0;
    if (version < last) check.behind += 1;
    else if (version > last || (head !== undefined && head.digest !== digestOf({ lastSequence: last, checks }))) {
      check.wrong(
        `${LAYOUT.archive} agents ${id}`,
        `the topic agent-heads has another head: sequence ${version}, not ${last}`,
      );
    }
  }
  for (const [id, { offset }] of told) check.wrong(`agent-heads offset ${offset}`, `${id} is not in ${LAYOUT.archive}`);
}

/** What verification and reporting keep of the public topics. */
export function checkPublicFacts(log: StoredLog, { facts, reports }: Pick<Stores, StoreName>, check: Check): void {
  if (facts !== null) {
    const kept = (topic: 'signing-keys' | 'reports' | 'anchors' | 'agent-heads', kinds: string, key: string): void => {
      const statement = facts.prepare<[], KeptRow>(
        `SELECT id, version, body AS value, ${key} AS key FROM facts WHERE kind IN (${kinds}) AND body IS NOT NULL`,
      );
      const position = positionOf(facts, topic);
      compareReader(
        log,
        {
          topic,
          place: LAYOUT.facts,
          rows: () => statement.iterate(),
          position,
          ...(topic === 'anchors' ? { keeps: isKept } : {}),
        },
        check,
      );
    };
    kept('signing-keys', `'key'`, 'id');
    kept('reports', `'report'`, 'id');
    kept('agent-heads', `'agent-head'`, 'id');
    checkRegisteredAgents(log, facts, check);
    kept('anchors', `'authority', 'report-anchor'`, `iif(kind = 'authority', 'authority:' || id, 'report:' || id)`);
  }
  if (reports !== null) {
    const statement = reports.prepare<[], KeptRow>(
      'SELECT key AS id, key, max(version, 1) AS version, body AS value FROM anchors',
    );
    const positions = reports.prepare<[], { partition: number; next: number }>(
      'SELECT partition, next_offset AS next FROM positions',
    );
    compareReader(
      log,
      {
        topic: 'anchors',
        place: `${LAYOUT.reports} anchors`,
        rows: () => statement.iterate(),
        position: new Reached(positions.all().map(({ partition, next }) => [partition, next])),
        keeps: isKept,
      },
      check,
    );
  }
}

function positionOf(facts: Store, topic: string): Reached {
  const rows = facts
    .prepare<[string], { partition: number; next: number }>(
      'SELECT partition, next_offset AS next FROM positions WHERE topic = ?',
    )
    .all(topic);
  return new Reached(rows.map(({ partition, next }) => [partition, next]));
}

function isKept(key: string): boolean {
  return key.startsWith('authority:') || key.startsWith('report:');
}
