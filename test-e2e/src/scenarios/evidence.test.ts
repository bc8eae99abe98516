import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalize } from 'json-canonicalize';
import { countersign } from '../instance/command.js';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';
import { eventExportCases } from './event-exports.test-cases.js';
import { absenceCases } from './absence.test-cases.js';
import { operatorAttackCases } from './operator-attacks.test-cases.js';
import { publicReportCases } from './public-reports.test-cases.js';
import { sharedReportCases } from './shared-reports.test-cases.js';
import { reportPdfCases } from './report-pdf.test-cases.js';

type Json = Record<string, unknown>;

/** The steps of interface.md, "Verifying a signed JSON report", without our code. */
function verifyByHand(text: string, pem: string): { readonly signature: boolean; readonly sha256: boolean } {
  const { sha256, signature, algorithm, publicKeyUrl, ...rest } = JSON.parse(text) as Json;
  expect(rest['canonicalization']).toBe('rfc8785-jcs');
  expect([algorithm, typeof publicKeyUrl]).toEqual(['Ed25519', 'string']);
  const bytes = Buffer.from(canonicalize(rest), 'utf8');
  return {
    signature: verify(null, bytes, createPublicKey(pem), Buffer.from(signature as string, 'base64')),
    sha256: createHash('sha256').update(bytes).digest('hex') === sha256,
  };
}

const hash = (prefix: number, ...parts: Buffer[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.from([prefix]), ...parts]))
    .digest();

/** RFC 6962 section 2.1.1, implemented independently. */
/** The commitment of a leaf of version 2, from FORMAT.md alone. */
function commitmentOf(kind: string, salt: string, value: unknown): string {
  const hash = (of: unknown): string => createHash('sha256').update(canonicalize(of)).digest('hex');
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const members = isObject ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  if (members.length < 1 || members.length > 32) return hash([kind, salt, value]);
  const digests = members.map(([name, member], i) => {
    const block = hash(['salts', kind, salt, Math.floor(i / 2)]);
    return hash([kind, name, i % 2 === 0 ? block.slice(0, 32) : block.slice(32), member]);
  });
  return hash([kind, digests]);
}

function root(leaf: Buffer, index: number, size: number, path: readonly string[]): string {
  let at = index;
  let last = size - 1;
  let node = leaf;
  const rest = path.map((hex) => Buffer.from(hex, 'hex'));
  while (last > 0) {
    if (at % 2 === 1) node = hash(1, rest.shift()!, node);
    else if (at < last) node = hash(1, node, rest.shift()!);
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  expect(rest).toEqual([]);
  return node.toString('hex');
}

interface Package extends Json {
  readonly events: readonly {
    readonly event: Json;
    readonly sequence: number;
    readonly opened: Json;
    readonly status: string;
    readonly controls: readonly Json[];
  }[];
  readonly inclusionProofs: readonly Json[];
  readonly windows: readonly Json[];
  readonly timestamp: Json;
  readonly summary: Json;
}

onEachProfile('from a check to evidence', (start, profile) => {
  let instance: Instance;
  let session: { readonly authorization: string };
  let agentId: string;
  let text: string;
  let pkg: Package;
  let pem: string;
  let reportId: string;
  let authority: string;
  let folder: string;
  let keyFile: string;

  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
    folder = mkdtempSync(join(tmpdir(), 'countersign-evidence-'));
    const created = await instance.request('POST', '/v1/agents', {
      headers: session,
      body: { name: 'evidence agent' },
    });
    agentId = (created.json as { id: string }).id;
    await instance.request('PATCH', `/v1/agents/${agentId}/profile`, {
      headers: session,
      body: { off_limits_actions: ['wire'], store_payload: true },
    });
    for (let i = 0; i < 25; i += 1) {
      const action = i % 5 === 4 ? { type: 'wire' } : { type: 'tool_use', tool_name: 'crm.lookup', payload: { i } };
      expect((await instance.check(action, { agentId })).status).toBe(200);
    }
    await eventually('every event is anchored', 30, async () => {
      const { json } = await instance.request('GET', `/v1/events?agentId=${agentId}&limit=1000`, { headers: session });
      const { events } = json as { events: { anchored: boolean }[] };
      return events.length === 27 && events.every(({ anchored }) => anchored) ? true : null;
    });
    const answer = await instance.request('POST', '/v1/events/export-signed', {
      headers: session,
      body: {
        agentIds: [agentId],
        format: 'json',
        frameworks: ['soc2', 'euaiact', 'hipaa', 'sr11-7', 'sr26-2', 'nydfs'],
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    reportId = String(answer.headers['x-report-id']);
    text = answer.text;
    pkg = JSON.parse(text) as Package;
    const keys = (await instance.request('GET', '/v1/keys')).json as {
      activeKeyId: string;
      anchorAuthorities: { address: string }[];
    };
    pem = (await instance.request('GET', `/v1/keys/${keys.activeKeyId}`)).text;
    authority = keys.anchorAuthorities[0]!.address;
    keyFile = join(folder, 'key.pem');
    writeFileSync(keyFile, pem);
  }, 120_000);
  afterAll(() => instance.discard());

  it('verifies with node:crypto and another canonicalizer', () => {
    expect(verifyByHand(text, pem)).toEqual({ signature: true, sha256: true });
  });

  it('leads from every event to its root by verifiable paths', () => {
    expect(pkg.inclusionProofs).toHaveLength(27);
    for (const [i, proof] of pkg.inclusionProofs.entries()) {
      const { event, sequence } = pkg.events[i]!;
      expect(proof['eventId']).toBe(event['eventId']);
      const agent = proof['agent'] as Json;
      const leaf = hash(0, Buffer.from(canonicalize(event)));
      expect(root(leaf, proof['leafIndex'] as number, proof['treeSize'] as number, proof['path'] as string[])).toBe(
        agent['agentRoot'],
      );
      expect(proof['leafIndex']).toBe(sequence - (agent['firstSequence'] as number));
      const { agentKey, agentRoot, firstSequence, lastSequence } = agent;
      const windowLeaf = { agentKey, agentRoot, count: proof['treeSize'], firstSequence, lastSequence };
      const top = hash(0, Buffer.from(canonicalize(windowLeaf)));
      expect(root(top, agent['leafIndex'] as number, agent['treeSize'] as number, agent['path'] as string[])).toBe(
        proof['merkleRoot'],
      );
    }
  });

  it('opens the content, and commits to the rest', () => {
    const checked = pkg.events.filter(({ event }) => event['type'] === 'action.checked');
    expect(checked).toHaveLength(25);
    for (const { event, opened } of checked) {
      for (const kind of ['action', 'payload', 'context'] as const) {
        const opening = opened[kind] as { salt: string; value: unknown } | undefined;
        if (opening === undefined) continue;
        expect(event[kind]).toBe(commitmentOf(kind, opening.salt, opening.value));
      }
    }
    expect((checked[0]!.opened['payload'] as Json)['value']).toEqual({ i: 0 });
  });

  it('counts, judges and maps', () => {
    expect(pkg.events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 27 }, (_, i) => i + 1));
    expect(pkg.summary).toMatchObject({
      events: 27,
      allowed: 20,
      denied: 5,
      prevented: 5,
      gap: 0,
      anchored: 27,
      unanchored: 0,
    });
    const denied = pkg.events.find(({ event }) => event['outcome'] === 'denied')!;
    expect(denied.status).toBe('Prevented');
    const control = { title: expect.any(String) as string, status: 'Prevented' };
    expect(denied.controls).toContainEqual({
      ...control,
      framework: 'soc2',
      controlId: 'CC7.2',
      relation: 'supporting',
    });
    expect(denied.controls).toContainEqual({
      ...control,
      framework: 'euaiact',
      controlId: '12(1)',
      relation: 'direct',
    });
    expect(denied.controls.some(({ framework }) => framework === 'hipaa')).toBe(false);
  });

  it('names its own finalized transaction, which holds the content hash', async () => {
    const { timestamp, sha256, signature, ...content } = pkg;
    delete content['algorithm'];
    delete content['publicKeyUrl'];
    const contentHash = createHash('sha256').update(canonicalize(content)).digest('hex');
    expect(timestamp['message']).toBe(`countersign/1 report=${contentHash}`);
    expect(timestamp['anchor']).toBe('solana:localnet');
    const ask = (body: Json): Promise<{ json: unknown }> => instance.request('POST', '/v1/chain/verify', { body });
    const anchor = timestamp['anchor_tx_signature'];
    expect((await ask({ anchor_tx_signature: anchor, sha256, signature })).json).toMatchObject({ confirmed: true });
    expect((await ask({ anchor_tx_signature: anchor, sha256: contentHash, signature })).json).toMatchObject({
      confirmed: true,
    });
    expect((await ask({ anchor_tx_signature: anchor, sha256: 'ab'.repeat(32), signature })).json).toMatchObject({
      confirmed: false,
    });
  });

  it('is verified by the public route, as a package and event by event', async () => {
    const whole = await instance.request('POST', '/v1/inclusion/verify', { body: { package: pkg } });
    expect(whole.json).toMatchObject({ ok: true, anchoredCount: 27, unanchoredCount: 0 });
    const single = await instance.request('POST', '/v1/inclusion/verify', {
      body: { event: pkg.events[3]!.event, proof: pkg.inclusionProofs[3] },
    });
    expect(single.json).toMatchObject({
      ok: true,
      event: { anchored: true, rootMatches: true, chain: { checked: true, onChain: true } },
    });
    const swapped = await instance.request('POST', '/v1/inclusion/verify', {
      body: { event: pkg.events[4]!.event, proof: pkg.inclusionProofs[3] },
    });
    expect(swapped.json).toMatchObject({ ok: false });
    const open = await instance.request('POST', '/v1/inclusion/verify', {
      body: { event: pkg.events[3]!.event, proof: { eventId: pkg.events[3]!.event['eventId'], anchored: false } },
    });
    expect(open.json).toMatchObject({ ok: false, event: { anchored: false, detail: 'nothing to prove yet' } });
  });

  it('verifies on the command line: 0 with key and chain, 2 without, 1 when changed, 64 without a file', async () => {
    const file = join(folder, 'report.json');
    writeFileSync(file, text);
    const chain = ['--rpc', instance.bootstrap.solanaRpcUrl];
    const all = await countersign(['verify', file, '--key', keyFile, ...chain, '--authority', authority]);
    expect([all.code, all.stderr]).toEqual([0, '']);
    expect((await countersign(['verify', file, '--key', keyFile])).code).toBe(0);
    expect((await countersign(['verify', file])).code).toBe(2);
    expect((await countersign(['verify', file, '--key', keyFile, ...chain])).code).toBe(2);
    const stranger = '11111111111111111111111111111111';
    expect((await countersign(['verify', file, '--key', keyFile, ...chain, '--authority', stranger])).code).toBe(1);
    const forged = join(folder, 'forged.json');
    writeFileSync(forged, text.replace('"outcome":"denied"', '"outcome":"frozen"'));
    const refused = await countersign(['verify', forged, '--key', keyFile]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('signature');
    expect((await countersign(['verify', join(folder, 'absent.json')])).code).toBe(64);
    expect((await countersign(['verify'])).code).toBe(64);
  });

  it('stores the report, lists it, and returns the same bytes again', async () => {
    const listed = await instance.request('GET', '/v1/reports', { headers: session });
    expect(listed.json).toMatchObject({
      reports: [{ id: reportId, format: 'json', public: false, sha256: pkg['sha256'], pdfSha256: null }],
      total: 1,
    });
    expect((await instance.request('GET', `/v1/reports/${reportId}`, { headers: session })).text).toBe(text);
    const patched = await instance.request('PATCH', `/v1/reports/${reportId}`, {
      headers: session,
      body: { public: true },
    });
    expect(patched.json).toMatchObject({ id: reportId, public: true });
  });

  const drawSample = eventExportCases(() => ({ instance, session, agentId, keyFile, authority, folder }));
  reportPdfCases(() => ({ instance, session, agentId, keyFile, authority, folder }));
  absenceCases(
    () => ({ instance, session, agentId, keyFile, authority, folder }),
    () => pkg.windows[0] as { windowStart: string; windowEnd: string } & Json,
  );
  publicReportCases(() => ({ instance, session, agentId, keyFile, authority, folder }));

  sharedReportCases(() => ({ instance, session, agentId, keyFile, authority, folder }));

  it('shows the anchors of the agent, with the ids of their events', async () => {
    const { json } = await instance.request('GET', `/v1/agents/${agentId}/anchors`, { headers: session });
    const { anchors } = json as { anchors: { merkle_root: string; event_ids: string[]; event_count: number }[] };
    expect(anchors.flatMap(({ event_ids: ids }) => ids).sort()).toEqual(
      pkg.events.map(({ event }) => event['eventId']).sort(),
    );
    const roots = new Set(pkg.inclusionProofs.map(({ merkleRoot }) => merkleRoot));
    expect(new Set(anchors.map(({ merkle_root: merkleRoot }) => merkleRoot))).toEqual(roots);
  });

  // The verifier is the same code on both profiles, and reads no store.
  if (profile === 'embedded') {
    it('refuses every one of 500 changed characters', async () => {
      let state = 7;
      const random = (below: number): number => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state % below;
      };
      const origin = [text.indexOf('"publicKeyUrl":"') + 16, text.indexOf('/v1/keys/')] as const;
      let tried = 0;
      const survivors: string[] = [];
      while (tried < 500) {
        const at = random(text.length);
        const to = String.fromCharCode(33 + random(90));
        if (text[at] === to || (at >= origin[0] && at < origin[1])) continue;
        const changed = text.slice(0, at) + to + text.slice(at + 1);
        let parsed: unknown;
        try {
          parsed = JSON.parse(changed);
        } catch {
          tried += 1;
          continue;
        }
        if (canonicalize(parsed) === canonicalize(pkg)) continue;
        tried += 1;
        const answer = await instance.request('POST', '/v1/inclusion/verify', { raw: `{"package":${changed}}` });
        if (answer.status === 200 && (answer.json as { ok: boolean }).ok)
          survivors.push(`${at}: ${text.slice(at - 20, at + 20)} -> ${to}`);
      }
      expect(survivors).toEqual([]);
    }, 120_000);
  }

  drawSample();
  operatorAttackCases(() => ({ instance, session, agentId, keyFile, authority, folder }), profile);
});
