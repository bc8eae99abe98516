import type { SignedPackage } from '@countersign/contracts';
import { Flow } from './flow.js';
import { reportFacts } from './report-facts.js';
import { drawAnnexes } from './sections/annexes.js';
import { drawAnchors, drawCompleteness } from './sections/completeness.js';
import { drawCover } from './sections/cover.js';
import { drawFindings } from './sections/findings.js';
import { drawFrameworks } from './sections/frameworks.js';
import { drawMethod } from './sections/method.js';
import { drawOversight } from './sections/oversight.js';
import { drawPolicies } from './sections/policies.js';
import { drawSignature } from './sections/signature.js';
import { Sheet } from './sheet.js';

/** File name of the embedded package. */
export const ATTACHMENT = 'countersign-package.json';

/**
 * Renders a signed package as PDF/A-3a, with the package embedded byte for byte. The same package gives the same bytes:
 * all times in the file are from the package.
 * @param bytes the package as stored
 * @param take receives the file in pieces
 */
export async function drawReport(bytes: Uint8Array, take: (piece: Uint8Array) => void): Promise<void> {
  const content = JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  ) as SignedPackage;
  const issuedAt = new Date(content.timestamp.issued_at);
  const { reportId, generator } = content;
  const sheet = new Sheet(
    `Evidence report ${reportId}`,
    issuedAt,
    `Report ${reportId} · ${generator.name} ${generator.version}`,
  );
  const whole = new Promise<void>((resolve, reject) => {
    sheet.document.on('data', take).once('end', resolve).once('error', reject);
  });
  sheet.document.file(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    name: ATTACHMENT,
    type: 'application/json',
    description: 'The signed evidence package that this document was drawn from',
    relationship: 'Source',
    creationDate: issuedAt,
    modifiedDate: issuedAt,
  } as object);
  const facts = reportFacts(content);
  const flow = new Flow(sheet);
  drawCover(flow, content, facts);
  drawMethod(flow, content);
  drawCompleteness(flow, content, facts);
  drawFrameworks(flow, content, facts);
  drawFindings(flow, content, facts);
  drawOversight(flow, content, facts);
  drawAnchors(flow, content, facts);
  drawSignature(flow, content);
  drawAnnexes(flow, content, facts);
  drawPolicies(flow, content, facts);
  flow.end();
  await whole;
}
