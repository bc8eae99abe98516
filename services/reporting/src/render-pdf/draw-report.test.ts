import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extractText, getDocumentProxy } from 'unpdf';
import type { MembersOpening, Opening, SignedPackage } from '@countersign/contracts';
import {
  attachedPackage,
  canonicalBytes,
  checkPdfPages,
  type CommitmentKind,
  discloseMembers,
  keyId,
  verifyPackage,
  withPdfSignature,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { ATTACHMENT, drawReport } from './draw-report.js';

const file = new URL('../../../../libs/evidence/vectors/valid-small.json', import.meta.url);
const { package: content } = JSON.parse(readFileSync(file, 'utf8')) as { readonly package: SignedPackage };

async function drawn(given: SignedPackage): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await drawReport(canonicalBytes(given), (piece) => pieces.push(piece));
  return Buffer.concat(pieces);
}

/** The file as a reader shows it: its text in reading order, without line breaks. */
async function read(pdf: Buffer): Promise<{ text: string; pages: number; attachment: Uint8Array; outline: string[] }> {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const { text } = await extractText(document, { mergePages: true });
  const [id = ''] =
    [...((await document.getAttachments()) ?? [])].find(([, { filename }]) => filename === ATTACHMENT) ?? [];
  const outline = (await document.getOutline()) as { readonly title: string }[];
  return {
    text: text.replace(/\s+/g, ' '),
    pages: document.numPages,
    attachment: (await document.getAttachmentContent(id)) ?? new Uint8Array(),
    outline: outline.map(({ title }) => title),
  };
}

const pair = generateKeyPairSync('ed25519');
const key = {
  publicKey: new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)),
  sign: (message: Uint8Array): Uint8Array => new Uint8Array(sign(null, message, pair.privateKey)),
};

describe('a report as PDF', () => {
  let pdf: Buffer;
  let page: Awaited<ReturnType<typeof read>>;
  beforeAll(async () => {
    pdf = await drawn(content);
    page = await read(pdf);
  }, 60_000);

  it('is the same file for the same package', async () => {
    expect((await drawn(content)).equals(pdf)).toBe(true);
  });

  it('carries the package byte for byte, and the package verifies', () => {
    expect(Buffer.from(page.attachment).equals(Buffer.from(canonicalBytes(content)))).toBe(true);
    const parsed = JSON.parse(Buffer.from(page.attachment).toString('utf8')) as unknown;
    expect(verifyPackage(parsed, { crypto: nodeCrypto, keys: null, chain: null }).problems).toEqual([]);
  });

  it('shows human oversight: all approvals, by person and by rule', async () => {
    const some = new URL('../../../../libs/evidence/vectors/oversight-valid.json', import.meta.url);
    const { package: given } = JSON.parse(readFileSync(some, 'utf8')) as { readonly package: SignedPackage };
    const { text, outline } = await read(await drawn(given));
    expect(outline).toContain('Human oversight');
    expect(text).toContain('Requests for an approval 4 and 2 requested before the events of this report');
    expect(text).toMatch(/By person Person Role Decisions Refused Median Under 3 s ana owner 2 never 0\.5 s 2/u);
    expect(text).toContain('By rule Rule Agent Decisions');
    expect(text).toContain('by fewer than the rule asks');
  });

  it('counts refusals that a person followed up, and names when, who, and the note where it is shown', async () => {
    const refused = content.events.filter(({ event }) => event.allowed === false);
    expect(refused.length).toBeGreaterThan(0);
    expect(page.text).toContain('Whether they were followed up is not in this report');
    const stream = `${content.agents[0]!.id.slice(0, 14)}8${content.agents[0]!.id.slice(15)}`;
    const followUp = (n: number, opened: SignedPackage['events'][number]['opened']) => ({
      ...refused[0]!,
      event: {
        ...refused[0]!.event,
        ...{ type: 'account.alert_followed_up', agentId: stream, eventId: `follow-up-${n}`, allowed: null },
        ...{ refersTo: refused[0]!.event.eventId, detail: 'user:ana', occurredAt: '2026-03-02T10:00:00.000Z' },
      },
      ...{ sequence: n, opened, status: 'Satisfied' as const, statusReason: null, controls: [] },
    });
    const note = { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: { note: 'a new vendor', by: { kind: 'user', id: 'ana' } } };
    const erased = { ...followUp(3, {}), erased: true as const };
    const events = [...content.events, followUp(1, { action: note }), followUp(2, {}), erased];
    const { text } = await read(
      await drawn({
        ...content,
        agents: [...content.agents, { ...content.agents[0]!, id: stream }],
        events,
        inclusionProofs: [...content.inclusionProofs, ...[1, 2, 3].map(() => content.inclusionProofs[0]!)],
      }),
    );
    expect(text).toContain(`range of this report: 1; not followed up: ${refused.length - 1}.`);
    expect(text).toContain(
      '10:00:00.000Z by user:ana (P number 1): a new vendor; 2026-03-02T10:00:00.000Z by user:ana',
    );
    expect(text).toContain('(P number 2), note withheld');
    expect(text).toContain('(P number 3), note erased');
    if (refused.length > 1) expect(text).toContain('Followed up in this report: no');
  });

  it('lists the newest refusals that have no follow-up, and counts those that are not listed', async () => {
    const vector = new URL('../../../../libs/evidence/vectors/follow-up-valid.json', import.meta.url);
    const { package: given } = JSON.parse(readFileSync(vector, 'utf8')) as { readonly package: SignedPackage };
    const done = await read(await drawn(given));
    expect(done.text).toContain('range of this report: 2; not followed up: 0.');
    expect(done.text).not.toContain('Not followed up, newest first');
    const [refused] = given.events;
    const at = (n: number): string => new Date(Date.parse('2026-03-02T10:00:00.000Z') + n * 1000).toISOString();
    const more = Array.from({ length: 203 }, (_, n) => ({
      ...refused!,
      event: { ...refused!.event, eventId: `refused-${n}`, occurredAt: at(n) },
      sequence: n + 4,
    }));
    const many = {
      ...given,
      events: [...more, ...given.events],
      inclusionProofs: [...more.map(() => given.inclusionProofs[0]!), ...given.inclusionProofs],
    };
    const pdfOfMany = await drawn(many);
    const { text } = await read(pdfOfMany);
    expect(text).toContain('range of this report: 2; not followed up: 203.');
    expect(text).toContain('Not followed up, newest first; 3 older ones are not listed here:');
    const list = text.slice(text.indexOf('3 older ones'), text.indexOf('Status: '));
    expect(list).toMatch(/refused-202 .*P1 off_limits_action .*refused-201 .*refused-3 /u);
    expect(list).not.toContain('refused-2 ');
    expect((await drawn(many)).equals(pdfOfMany)).toBe(true);
    // Without the follow-up of the second refusal.
    const alone = { ...given, events: given.events.filter((_entry, i) => i !== 5) };
    const one = await read(
      await drawn({ ...alone, inclusionProofs: given.inclusionProofs.filter((_proof, i) => i !== 5) }),
    );
    expect(one.text).toContain('Not followed up, newest first:');
  }, 60_000);

  it('shows what is opened of leaves of version 2, and how much of it is withheld', async () => {
    const mixed = new URL('../../../../libs/evidence/vectors/v2-mixed.json', import.meta.url);
    const { package: given } = JSON.parse(readFileSync(mixed, 'utf8')) as { readonly package: SignedPackage };
    const part = (at: number, kind: CommitmentKind, name: string): MembersOpening => {
      const { salt, value } = given.events[at]!.opened[kind] as Opening;
      return discloseMembers(kind, salt, value!, new Set([name]), nodeCrypto.sha256);
    };
    const opened = { action: part(3, 'action', 'type'), context: part(3, 'context', 'effect') };
    const { text } = await read(
      await drawn({ ...given, events: given.events.with(3, { ...given.events[3]!, opened }) }),
    );
    expect(text).toContain('Action: {"type":"tool_use"}; 1 member withheld, commitment');
    expect(text).toContain('Context: {"effect":"deny"}; 3 members withheld, commitment');
    expect(text).toContain('Context: {"effect":"approve",');
    expect(text).toContain('The check is ungoverned');
    expect(page.text).not.toContain('Context:');
  }, 60_000);

  it('has the layout that verifiers require, whatever characters it contains', async () => {
    const generator = { name: 'a (b) \\ %PDF endobj \u010a\u0d28\u2929', version: '1' };
    for (const file of [pdf, await drawn({ ...content, generator })]) {
      expect(attachedPackage(new Uint8Array(file))).toMatchObject({ deflated: true });
    }
  });

  it('can be signed over all other bytes, and is the same file again for the same key', () => {
    const id = keyId(key.publicKey, nodeCrypto.sha256);
    const signed = (): Uint8Array => {
      const room = withPdfSignature(pdf, id, nodeCrypto.sha256);
      return room.sign(key.sign(room.message));
    };
    const file = signed();
    expect(Buffer.from(signed()).equals(Buffer.from(file))).toBe(true);
    const pkg = { publicKeyUrl: `https://countersign.example/v1/keys/${id}` };
    const keys = [{ publicKey: key.publicKey, status: 'active', validFrom: null, validTo: null }] as const;
    const verdict = (given: Uint8Array): string | undefined => {
      const found = attachedPackage(given);
      return typeof found === 'string'
        ? found
        : checkPdfPages(given, found.pdfSignature, pkg, { crypto: nodeCrypto, keys }).verdict;
    };
    expect(verdict(file)).toBe('issued');
    expect(verdict(pdf)).toBe('unsigned');
    for (let at = 0; at < file.length; at += 997) {
      const changed = file.slice();
      changed[at] = changed[at]! ^ 1;
      expect([at, verdict(changed)]).toEqual([at, expect.stringMatching(/differ|not laid out|cannot be read/)]);
    }
  });

  it('is opened by a PDF reader once it is signed', async () => {
    const room = withPdfSignature(pdf, keyId(key.publicKey, nodeCrypto.sha256), nodeCrypto.sha256);
    const signed = await read(Buffer.from(room.sign(key.sign(room.message))));
    expect([signed.pages, signed.text]).toEqual([page.pages, page.text]);
  });

  it('contains no time but those of the package', () => {
    const text = pdf.toString('latin1');
    const issued = content.timestamp.issued_at.replace(/\D/g, '').slice(0, 14);
    const dates = [...text.matchAll(/\(D:(\d{14})/g)].map(([, date]) => date);
    expect(new Set(dates)).toEqual(new Set([issued]));
    expect([...text.matchAll(/<xmp:CreateDate>([^<]*)</g)].map(([, date]) => date)).toEqual([
      content.timestamp.issued_at.replace('.000Z', 'Z'),
    ]);
  });

  it('is marked as PDF/A-3a, tagged, with page numbers and an outline', () => {
    const text = pdf.toString('latin1');
    expect(text).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(text).toContain('<pdfaid:conformance>A</pdfaid:conformance>');
    expect(text).toMatch(/\/MarkInfo|\/Marked true/);
    for (let at = 1; at <= page.pages; at += 1) expect(page.text).toContain(`Page ${at} of`);
    expect(page.outline).toEqual([
      'Evidence of agent actions',
      expect.stringContaining('How this report was produced'),
      expect.stringContaining('What this report does not prove'),
      expect.stringContaining('Completeness'),
      expect.stringContaining('Frameworks and controls'),
      expect.stringContaining('Gaps'),
      expect.stringContaining('Denials'),
      expect.stringContaining('Anchors'),
      expect.stringContaining('Signature'),
      expect.stringContaining('Annex A'),
      expect.stringContaining('Annex B'),
      expect.stringContaining('Annex C'),
    ]);
  });

  it('prints the counts, the statements and every event of the package', () => {
    const { satisfied, prevented, gap, allowed, denied } = content.summary;
    for (const [name, count] of [
      ['Satisfied', satisfied],
      ['Prevented', prevented],
      ['Gap, review required', gap],
      ['Checks allowed', allowed],
      ['Checks denied', denied],
      ['All events', content.events.length],
    ] as const) {
      expect(page.text).toContain(`${name} ${count} `);
    }
    for (const { text } of content.statements) expect(page.text).toContain(text);
    for (const { event, status, statusReason } of content.events) {
      expect(page.text).toContain(event.eventId);
      if (status === 'Gap, review required') expect(page.text).toContain(`Status: ${status} – ${statusReason}`);
    }
    expect(page.text.match(/none/g)!.length).toBeGreaterThanOrEqual(content.agents.length);
    expect(page.text.replaceAll(' ', '')).toContain(content.signature);
    expect(page.text).toContain(content.publicKeyUrl);
    // Content of the QR code: the page that verifies this report, named in the fragment, which is never sent.
    expect(page.text.replaceAll(' ', '')).toContain(
      `https://countersign.example/verify#report=${content.reportId}&sha256=${content.sha256}`,
    );
  });

  it('names the rule by which a sample is drawn, and states what its numbers do not prove', async () => {
    expect(page.text).toContain('by rule countersign/sample/1');
    expect(page.text).toContain('whether it was revoked since says https://countersign.example/v1/keys.');
    expect(page.text).toContain('none before the first and none after the last is the issuer’s word');
    expect(page.text).not.toContain('The period ends after the report was issued');
    const early = { ...content, range: { ...content.range, to: '2099-01-01T00:00:00.000Z' } };
    expect((await read(await drawn(early))).text).toContain('The period ends after the report was issued at 20');
    const silent = { ...content.agents[0]!, id: content.reportId, firstSequence: null, lastSequence: null, count: 0 };
    const { text } = await read(await drawn({ ...content, agents: [...content.agents, { ...silent, anchors: [] }] }));
    expect(text).toContain('“–”: the report holds no event of the agent');
    expect(text).not.toContain('the agent had no event');
  });

  it('does not call a network public that its operator may run, and names the one that holds the anchors', async () => {
    expect(page.text).toContain('in a finalized transaction on solana:devnet when');
    expect(page.text).toContain('solana:devnet, a public network for tests');
    const moved = JSON.parse(JSON.stringify(content).replaceAll('solana:devnet', 'solana:localnet')) as SignedPackage;
    const { text } = await read(await drawn(moved));
    expect(text).toContain('solana:localnet, which is no public network');
    expect(text).not.toMatch(/public (?:chain|Solana)|a public network for tests/);
    const main = JSON.parse(
      JSON.stringify(content).replaceAll('solana:devnet', 'solana:mainnet-beta'),
    ) as SignedPackage;
    expect((await read(await drawn(main))).text).not.toMatch(/The anchors are on/);
  });

  it('shows a name in any script, without control characters', async () => {
    const name = '支払\u202eagent';
    const [first, ...others] = content.agents;
    const { text } = await read(await drawn({ ...content, agents: [{ ...first!, name }, ...others] }));
    expect(text.replaceAll(' ', '')).toContain('⟨U+652F⟩⟨U+6255⟩⟨U+202E⟩agent');
  });

  it('is complete without a single event', async () => {
    const empty = { ...content, events: [], inclusionProofs: [], windows: [] };
    const { text, pages } = await read(await drawn(empty));
    expect(text).toContain('The report holds no event.');
    expect(pages).toBeGreaterThan(5);
  });
});
