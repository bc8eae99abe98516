import type { StoredLog } from '@countersign/event-log';
import { LAYOUT, type StoreName } from './layout.js';
import { compareOwner, compareReader, pendingIn, type KeptRow, type OwnedRow, type Owner } from './mirrors.js';
import { digestOf, newestRecords } from './newest-records.js';
import type { Store, Stores } from './open-stores.js';
import { Reached } from './places.js';
import type { Check } from './report.js';

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
    const kept = (topic: 'signing-keys' | 'reports' | 'anchors', kinds: string, key: string): void => {
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
    kept('anchors', `'authority', 'report-anchor'`, `iif(kind = 'authority', 'authority:' || id, 'report:' || id)`);
  }
  if (reports !== null) {
    const statement = reports.prepare<[], KeptRow>('SELECT key AS id, key, 1 AS version, body AS value FROM anchors');
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
