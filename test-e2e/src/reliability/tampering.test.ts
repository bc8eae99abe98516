import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { fsck } from '../instance/fsck.js';
import { startLoad } from '../torture/load.js';
import { allAnchored } from './anchors.js';
import { EVER, Scratch } from './scratch.js';

const scratch = new Scratch();
const copy = join(scratch.folder, 'copy');

/** An instance with anchored events, a violation, an unanchored rest and a report; stopped. */
beforeAll(async () => {
  const instance = await scratch.start();
  const headers = await instance.session();
  const { agentId } = instance.bootstrap;
  const body = { off_limits_actions: ['forbidden'], spending_limit: 1000, spending_window: 'month' };
  await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers, body });
  const action = (n: number) => ({ type: n % 5 === 0 ? 'forbidden' : 'pay', estimatedCost: 0.01, payload: { n } });
  for (const name of ['first', 'second']) {
    const load = startLoad(instance, { name, concurrency: 2, action });
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await load.stop();
  }
  await allAnchored(instance, headers, 60);
  const { events } = (await instance.request('GET', '/v1/events?limit=3', { headers })).json as {
    events: { eventId: string }[];
  };
  const erase = `/v1/events/${events[2]!.eventId}/content`;
  expect((await instance.request('DELETE', erase, { headers })).status).toBe(204);
  await allAnchored(instance, headers, 60);
  const request = { frameworks: ['soc2'], format: 'json', from: EVER, to: new Date().toISOString() };
  const report = await instance.request('POST', '/v1/events/export-signed', { headers, body: request });
  expect(report.status).toBe(200);
  expect((await instance.stop()).code).toBe(0);
}, 120_000);

beforeEach(() => {
  rmSync(copy, { recursive: true, force: true });
  cpSync(scratch.dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
});
afterAll(() => scratch.discard());

/** Runs statements on a database of the copy; they must change something. */
function alter(file: string, ...statements: readonly string[]): void {
  const database = new Database(join(copy, file));
  for (const statement of statements) expect(database.prepare(statement).run().changes).toBeGreaterThan(0);
  database.close();
}

async function named(...expected: readonly RegExp[]): Promise<void> {
  const { code, lines } = await fsck(copy);
  expect(code).toBe(1);
  for (const pattern of expected) expect(lines).toContainEqual(expect.stringMatching(pattern));
}

/** Flips the lowest bit of one byte of a BLOB. */
const flipped = (column: string): string =>
  `${column} = unhex(substr(hex(${column}), 1, length(hex(${column})) - 1) || iif(hex(${column}) GLOB '*[13579BDF]', '0', '1'))`;

describe('the integrity check', () => {
  it('finds nothing in untouched data, and changes nothing', async () => {
    const before = filesOf(copy);
    expect((await fsck(copy)).lines).toEqual([]);
    expect(filesOf(copy)).toEqual(before);
  }, 60_000);

  it('reads the beginning that the log no longer has from the archive', async () => {
    alter(
      'log.db',
      'DELETE FROM topic_agent_events WHERE record_offset < 20',
      `UPDATE topics SET begin_offset = 20 WHERE name = 'agent-events'`,
    );
    expect((await fsck(copy)).lines).toEqual([]);
    alter(
      'audit-log/events.db',
      `UPDATE events SET leaf = replace(leaf, '"P1"', '"P2"') WHERE n < 20 AND leaf LIKE '%"P1"%'`,
    );
    await named(/^anchored leaves: .* sequence \d+ \(offset -1\): its hash in the segment/);
  }, 60_000);

  it('reports alterations of the archive', async () => {
    alter(
      'audit-log/events.db',
      `UPDATE events SET leaf = replace(leaf, '"allowed":true', '"allowed":false') WHERE n = (SELECT n FROM events WHERE leaf LIKE '%"allowed":true%' LIMIT 1)`,
      'UPDATE events SET sequence = 1000000 WHERE n = 20',
      'UPDATE events SET occurred_at = occurred_at + 1 WHERE n = 21',
      'UPDATE events SET erased = 1 WHERE n = 22',
      `UPDATE openings SET value = replace(value, 'pay', 'eat') WHERE n = (SELECT n FROM openings WHERE value LIKE '%"pay"%' LIMIT 1)`,
      `UPDATE events SET facts = replace(facts, '10000', '10001') WHERE n = (SELECT n FROM events WHERE facts LIKE '%10000%' LIMIT 1)`,
      'DELETE FROM events WHERE n = 25',
      'UPDATE hours SET count = count + 1',
    );
    const row = (n: string): string => `^archive: audit-log/events.db events n=${n}: `;
    await named(
      new RegExp(`${row('\\d+')}the leaf of event .* is not the log's`),
      new RegExp(`${row('20')}sequence 1000000`),
      new RegExp(`${row('21')}occurred_at`),
      new RegExp(`${row('22')}it is erased and its content is still there`),
      new RegExp(`${row('\\d+')}the stored action of event .* is not what its leaf commits`),
      new RegExp(`${row('\\d+')}the facts`),
      /^archive: agent-events offset 24: event .* is not archived/,
      /^archive figures: audit-log\/events.db hours/,
    );
  }, 60_000);

  it('reports additions to the archive', async () => {
    alter(
      'audit-log/events.db',
      `INSERT INTO events (n, event_id, account_n, agent_n, sequence, occurred_at, class_n, blocked, erased, refers_to, leaf, facts)
       SELECT (SELECT max(n) + 1 FROM events), randomblob(16), account_n, agent_n, sequence + 100000,
       occurred_at, class_n, blocked, erased, refers_to, leaf, facts FROM events WHERE n = 9`,
    );
    await named(/^archive: .* is not in the log/);
  }, 60_000);

  it("reports alterations of anchoring's leaves and trees", async () => {
    alter(
      'anchoring/anchors.db',
      `UPDATE segments SET ${flipped('hashes')} WHERE first_sequence = 1`,
      `UPDATE window_agents SET ${flipped('root')} WHERE window_n = 2`,
      `UPDATE window_leaves SET ${flipped('hashes')} WHERE window_n = 2`,
      `UPDATE agents SET last_sequence = last_sequence + 1`,
    );
    await named(
      /^anchored leaves: .* sequence \d+ .*is not the one of the log/,
      /^trees: anchoring\/anchors.db windows \S+: the root of agent \S+ is not the one of its leaves/,
      /^trees: .* the stored leaf of agent \S+ is not the one computed/,
      /^anchored leaves: .* last_sequence/,
    );
  }, 60_000);

  it('reports alterations of windows and their anchors', async () => {
    alter(
      'anchoring/anchors.db',
      `UPDATE windows SET root = replace(root, substr(root, 1, 1), iif(substr(root, 1, 1) = '0', '1', '0')) WHERE n = 1`,
      `UPDATE windows SET signature = (SELECT signature FROM windows WHERE n = 1) WHERE n = 2`,
      `UPDATE windows SET start_ms = start_ms + 1000, end_ms = end_ms + 1000 WHERE n = 1`,
    );
    await named(
      /^trees: .* windows 1-1: its root \S+ is not the one of its agents/,
      /^windows: .* windows 1-2: prev is not the root of the window before/,
      /^chain: .* windows 1-2: transaction \S+ does not hold exactly its memo/,
      /^anchor records: anchors offset \d+ \(window:1-1:0\): its root is not the one/,
      /^chain: .* anchors a window that .* does not have/,
    );
  }, 60_000);

  it('reports a flipped bit in the log', async () => {
    alter(
      'log.db',
      `UPDATE topic_agent_events SET value = replace(value, '"pay"', '"pax"') WHERE record_offset = (SELECT min(record_offset)
       FROM topic_agent_events WHERE value LIKE '%"pay"%')`,
    );
    await named(/^files: log.db: the record of agent-events at offset \d+ is damaged/, /^event log: agent-events: /);
  }, 60_000);

  it('reports an event of the log that was rewritten with its checksum', async () => {
    rewriteEvent(10, (text) => text.replace(/"occurredAt":"\d{4}/, '"occurredAt":"2001'));
    await named(/^archive: .* n=11: the leaf .* is not the log's/, /^anchored leaves: .* sequence \d+ \(offset 10\)/);
  }, 60_000);

  it('reports the lost end of a log', async () => {
    alter(
      'log.db',
      'DELETE FROM topic_agent_events WHERE record_offset > (SELECT max(record_offset) - 3 FROM topic_agent_events)',
    );
    await named(/^archive: .* is not in the log/, /^anchored leaves: .* last_sequence \d+, by the log \d+/);
  }, 60_000);

  it('reports truncated and missing files, and creates none', async () => {
    const files = [
      'log.db',
      'audit-log/events.db',
      'anchoring/anchors.db',
      'policy/policy.sqlite',
      'identity/identity.sqlite',
      'reporting/reports.db',
      'verification/public-facts.db',
      'localnet/ledger.db',
    ];
    for (const file of files) truncateSync(join(copy, file), 5000);
    await named(...files.map((file) => new RegExp(`^files: ${file}: `)));
    for (const file of files) rmSync(join(copy, file));
    await named(...files.slice(0, -1).map((file) => new RegExp(`^files: ${file}: .*missing`)));
    for (const file of files) expect(readdirSync(join(copy, file, '..'))).not.toContain(file.split('/').at(-1));
  }, 60_000);

  it('reports a package with one changed character', async () => {
    const folder = join(copy, 'reporting/packages');
    const [name] = readdirSync(folder);
    const text = readFileSync(join(folder, name!), 'utf8');
    writeFileSync(join(folder, name!), text.replace('"allowed":true', '"allowed":null'));
    await named(new RegExp(`^reports: reporting/packages/${name} .*signature`), /^reports: .*canonical bytes hash to/);
  }, 60_000);

  it('reports altered totals, profiles, public facts and ledger', async () => {
    alter('policy/policy.sqlite', `UPDATE doc_agent_totals SET body = json_set(body, '$.totals.monthMicros', 1)`);
    alter('policy/policy.sqlite', `UPDATE doc_agents SET body = json_set(body, '$.facts.profile.spending_limit', 9)`);
    alter(
      'verification/public-facts.db',
      `UPDATE doc_facts SET body = json_set(body, '$.value.validFrom', '') WHERE k_kind = 'key'`,
    );
    alter('localnet/ledger.db', `UPDATE transactions SET memos = '["other"]' WHERE memos LIKE '%root=%' AND seq < 9`);
    await named(
      /^usage: policy\/policy.sqlite agent_totals \S+: monthMicros is 1/,
      /^topics: policy\/policy.sqlite agents \S+: it is not what the topic agents says/,
      /^public facts: verification\/public-facts.db facts key\/key_/,
      /^files: localnet\/ledger.db/,
    );
  }, 60_000);
});

function rewriteEvent(offset: number, change: (text: string) => string): void {
  const database = new Database(join(copy, 'log.db'));
  const row = database
    .prepare<[number], { at: number; key: string; value: string }>(
      'SELECT appended_at AS at, record_key AS key, value FROM topic_agent_events WHERE record_offset = ?',
    )
    .get(offset)!;
  const value = change(row.value);
  expect(value).not.toBe(row.value);
  const checksum = crc32(value, crc32(`${offset} ${row.at} ${row.key}`));
  database
    .prepare('UPDATE topic_agent_events SET value = ?, checksum = ? WHERE record_offset = ?')
    .run(value, checksum, offset);
  database.close();
}

/** Names and contents below a folder, except the lock, which names its last holder. */
function filesOf(folder: string): Readonly<Record<string, number>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('lock.'),
  );
  return Object.fromEntries(
    entries.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, crc32(readFileSync(path))];
    }),
  );
}
