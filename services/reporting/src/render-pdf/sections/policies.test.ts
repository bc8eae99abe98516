import { extractText, getDocumentProxy } from 'unpdf';
import type { SignedPackage } from '@countersign/contracts';
import { canonicalBytes } from '@countersign/evidence';
import { goldenPackage } from '../../issue-report/golden-packages.test-kit.js';
import { drawReport } from '../draw-report.js';

async function textOf(content: SignedPackage): Promise<string> {
  const pieces: Uint8Array[] = [];
  await drawReport(canonicalBytes(content), (piece) => pieces.push(piece));
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(Buffer.concat(pieces))), {
    mergePages: true,
  });
  return text.replace(/\s+/g, ' ');
}

describe('the policies in force, as a report prints them', () => {
  let content: SignedPackage;
  let text: string;
  beforeAll(async () => {
    content = await goldenPackage(['soc2']);
    text = await textOf(content);
  }, 120_000);

  it('are counted on the first page', () => {
    expect(text).toContain('1 change of a profile, 1 freeze, 1 end of a freeze: annex C');
  });

  it('name the profile at the beginning, who froze and why, and who changed what', () => {
    const annex = text.slice(text.lastIndexOf('Annex C Policies in force'));
    expect(annex).toMatch(/At the beginning: version 1, SHA-256 [0-9a-f]{64}/);
    expect(annex).toContain('agent.frozen by user u Reason: looked at');
    expect(annex).toContain('agent.unfrozen by user u Reason: none shown');
    expect(annex).toContain('profile.changed by user u Version 2');
    expect(annex).toContain('Rules, as a whole');
  });

  it('say what is withheld instead of naming it', async () => {
    const events = content.events.map((entry) => ({ ...entry, opened: {} }));
    const annex = (await textOf({ ...content, events })).split('Annex C Policies in force').at(-1)!;
    expect(annex).toContain('profile.changed by an actor withheld or erased');
    expect(annex).toContain('only its hash is known here');
    expect(annex).not.toContain('looked at');
  }, 120_000);

  it('are printed with who and what is audited, and the reasons of the mapping', () => {
    expect(text).toContain('TEST NETWORK: solana:devnet');
    expect(text).toContain('Organisation Example Bank plc');
    expect(text).toContain('Prepared by ana@example.com');
    expect(text).toContain('not reviewed by a third party');
    for (const { rationale } of content.mappingRows!) expect(text).toContain(rationale);
  });
});
