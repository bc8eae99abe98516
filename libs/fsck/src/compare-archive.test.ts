import { traceIdOf } from '@countersign/contracts';
import type { EventEnvelope, JsonValue, LeafEvent, Openings } from '@countersign/contracts';
import type { ArchiveInspection, InspectedEvent } from '@countersign/audit-log';
import { canonicalLeaf, commit, commitV2, plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { ArchiveComparison } from './compare-archive.js';
import { hashOf, type NumberedLeaf } from './number-leaves.js';
import { Report } from './report.js';

const AGENT = '0198a1b2-0000-7000-8000-00000000000a';
const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';

/** Event `n`, an allowed check whose action and, in version 2, context are committed and opened. */
function envelopeOf(n: number, v: 1 | 2): EventEnvelope {
  const action: JsonValue = { type: 'tool_use', n };
  const context: JsonValue = { principal: 'anna', n, trace: `00-${'cd'.repeat(16)}-${'ef'.repeat(8)}-01` };
  const committed = v === 1 ? commit : commitV2;
  const { sha256 } = nodeCrypto;
  const fields: Partial<LeafEvent> = {
    v,
    ...{ outcome: 'allowed', allowed: true, actionKind: 'tool_use', profileVersion: 1, profileSha256: '0'.repeat(64) },
    action: committed('action', SALT, action, sha256),
    ...(v === 1 ? {} : { context: committed('context', SALT, context, sha256), coverage: ['rules'] }),
  };
  const leaf = plainLeaf({
    ...{ type: 'action.checked', eventId: uuidV7(n, new Uint8Array(10)), agentId: AGENT, ...fields },
    occurredAt: new Date(n).toISOString(),
  });
  const opened = { action: { salt: SALT, value: action } };
  const openings: Openings = v === 1 ? opened : { ...opened, context: { salt: SALT, value: context } };
  return plainEnvelope(leaf, { accountId: 'a', cadenceSeconds: 1, apiKeyId: null, openings });
}

const logged = [1, 2, 2, 1, 2].map((v, i): NumberedLeaf => {
  const envelope = envelopeOf(i + 1, v as 1 | 2);
  const text = canonicalLeaf(envelope.leaf);
  return { kind: 'leaf', offset: i, envelope, text, hash: hashOf(text), sequence: i + 1, counts: false };
});

function archivedOf({ envelope, text, sequence, offset }: NumberedLeaf): InspectedEvent {
  const { leaf, openings, ...facts } = envelope;
  return {
    ...{ at: { partition: 0, offset }, eventId: leaf.eventId, agentId: leaf.agentId, accountId: 'a', sequence },
    occurredAtMs: Date.parse(leaf.occurredAt),
    class: { type: leaf.type, outcome: leaf.outcome, allowed: leaf.allowed, violationType: leaf.violation_type },
    ...{ blocked: false, erased: false, refersTo: null, hasOpenings: true, leaf: text, trace: traceIdOf(openings) },
    ...{ rule: leaf.rule, facts: JSON.stringify(facts), openings: JSON.stringify(openings) },
  };
}

/** Problems of an archive that differs from the log in what is given of its event `at`. */
async function problemsOf(at: number, change: Partial<InspectedEvent>): Promise<readonly string[]> {
  const rows = logged.map((leaf, i) => (i === at ? { ...archivedOf(leaf), ...change } : archivedOf(leaf)));
  const archive = {
    positions: async () => new Map([[0, rows.length]]),
    events: async function* () {
      yield* rows;
    },
    find: async (ids: readonly string[]) =>
      new Map(rows.filter(({ eventId }) => ids.includes(eventId)).map((row) => [row.eventId, row])),
  } as unknown as ArchiveInspection;
  const check = new Report().check('archive', '', '');
  const bounds = { mayBeOlder: () => false, isNewer: async () => false };
  const comparison = await ArchiveComparison.of(archive, bounds, check);
  for (const leaf of logged) await comparison.take(leaf);
  await comparison.finish(true);
  expect(check.examined).toBe(logged.length);
  return check.findings.map(({ problem }) => problem);
}

describe('the archive against a log with leaves of both versions', () => {
  it('is in order where it holds what the log holds', async () => {
    expect(await problemsOf(-1, {})).toEqual([]);
    expect(await problemsOf(1, { erased: true, openings: null, hasOpenings: false, trace: null })).toEqual([]);
  });

  it('is not where an event is counted by another rule than its leaf has', async () => {
    expect(await problemsOf(1, { rule: 'caps:x' })).toEqual(['rule is caps:x, its leaf says null']);
  });

  it('is not where an event is found by another trace than its context names', async () => {
    expect(await problemsOf(1, { trace: 'ab'.repeat(16) })).toEqual([
      `trace is ${'ab'.repeat(16)}, its openings say ${traceIdOf(logged[1]!.envelope.openings)}`,
    ]);
  });

  it.each([0, 1])('is not where the action of event %i is another', async (at) => {
    const { openings } = logged[at]!.envelope;
    const other = JSON.stringify({ ...openings, action: { salt: SALT, value: { type: 'tool_use', n: 9 } } });
    const [first, second] = await problemsOf(at, { openings: other });
    expect(first).toBe("its openings are not the log's");
    expect(second).toMatch(/^the stored action of event .* is not what its leaf commits$/);
  });

  it('is not where a context is another, gone, or of a leaf that commits none', async () => {
    const { action, context } = logged[1]!.envelope.openings;
    const salted = JSON.stringify({ action, context: { ...context, salt: 'AAAAAAAAAAAAAAAAAAAAAQ' } });
    expect((await problemsOf(1, { openings: salted })).at(-1)).toMatch(/^the stored context of event/);
    expect(await problemsOf(1, { openings: JSON.stringify({ action }), trace: null })).toEqual([
      "its openings are not the log's",
    ]);
    const strange = JSON.stringify({ ...logged[0]!.envelope.openings, context });
    expect((await problemsOf(0, { openings: strange })).at(-1)).toMatch(/^the stored context of event/);
    expect(await problemsOf(1, { erased: true })).toEqual(['it is erased and its content is still there']);
  });

  it('is not where coverage differs', async () => {
    const leaf = logged[1]!.text.replace('"coverage":["rules"]', '"coverage":[]');
    expect(await problemsOf(1, { leaf })).toEqual([expect.stringContaining("is not the log's")]);
  });
});
