import type { SignedPackage } from '@countersign/contracts';
import { SAMPLE_DELAY_SLOTS, SAMPLE_RULE } from '@countersign/evidence';
import type { Flow } from '../flow.js';
import { qrCode } from '../qr-code.js';
import type { Span } from '../spans.js';
import { transactionSpan } from './completeness.js';

const COLUMNS = [
  { title: 'What', share: 26 },
  { title: 'Value', share: 94 },
];
const QR_SIDE = 120;

/** Section 8: the signature, what it covers, and how to verify it. */
export function drawSignature(flow: Flow, content: SignedPackage): void {
  const { timestamp, publicKeyUrl } = content;
  const mono = (text: string): Span => ({ text, ink: { face: 'mono', size: 6.5 } });
  flow.heading(2, '8  Signature and verification', true);
  flow.paragraph(
    `The signature covers the canonical bytes of the embedded package without its members sha256, signature, algorithm and publicKeyUrl. A second one by the same key, in the trailer of this file, covers every other byte of it: a changed page is seen. The key must come from a source that you trust, not from the package; whether it was revoked since says ${origin(publicKeyUrl)}/v1/keys.`,
  );
  flow.table(COLUMNS, [
    ['Algorithm', `${content.algorithm}, ${content.canonicalization}, schema ${content.schemaVersion}`],
    ['Signature', mono(content.signature)],
    ['SHA-256', mono(content.sha256)],
    ['Key', { text: publicKeyUrl, link: publicKeyUrl, ink: { face: 'mono', size: 6.5 } }],
    ['Issued at', timestamp.issued_at],
    ['Memo of the report', mono(timestamp.message)],
    [
      'Transaction of the report',
      timestamp.anchor_tx_signature === null
        ? 'pending when this was issued: it is found by the content hash in the memo'
        : transactionSpan(timestamp.anchor, timestamp.anchor_tx_signature, timestamp.anchor_block_height),
    ],
  ]);
  flow.heading(3, 'How to verify');
  flow.numbered([
    'Offline, without trust in the issuer: “countersign verify FILE.pdf --key KEY.pem --rpc URL --authority ADDRESS” checks the signature of this file, takes the package out of it, walks every proof, counts every sequence and asks the chain that you name. Any PDF reader saves the attachment “countersign-package.json” for other verifiers.',
    `Online: ${origin(publicKeyUrl)}/verify does the same in a browser, without an upload; GET ${lookUp(publicKeyUrl)}, with the SHA-256 of this file (“sha256sum FILE.pdf”), says whether it was issued with exactly these bytes, when and by which key; where the report is public it gives the package.`,
    'On the chain: the memo of the report’s transaction holds the hash of the package’s content; the transactions of section 7 hold the roots of its windows.',
    `To look at some events: “countersign sample FILE.pdf --size 25 --key KEY.pem --rpc URL” draws them by rule ${SAMPLE_RULE}. Its seed is the hash of the first finalized block that lies ${SAMPLE_DELAY_SLOTS} slots or more behind the report’s transaction and not before the end of the period, so that neither the issuer nor its customer chooses; the sample names the block, and anybody draws it again.`,
  ]);
  const page = verificationPage(content);
  const { side, dark } = qrCode(page);
  flow.figure(QR_SIDE, `QR code of ${page}`, (x, y) => {
    const module = QR_SIDE / side;
    flow.sheet.squares(
      dark.map(([column, row]) => [x + column * module, y + row * module]),
      module,
    );
  });
  // Next to the figure: each line is short enough to end before it.
  flow.paragraph('The QR code leads to a page that verifies this report:');
  const [address = '', report = '', hash = ''] = page.split(/(?=[#&])/);
  for (const text of [address, report, hash]) flow.paragraph({ text, link: page }, { face: 'mono', size: 6.5 });
}

/** Origin of the service. */
function origin(publicKeyUrl: string): string {
  return publicKeyUrl.replace(/\/v1\/keys\/[^/]*$/, '');
}

function lookUp(publicKeyUrl: string): string {
  return `${origin(publicKeyUrl)}/v1/reports/by-pdf-sha256/<SHA-256>`;
}

/** The public verification page, with this report named in the fragment, which is never sent to a server. */
function verificationPage({
  publicKeyUrl,
  reportId,
  sha256,
}: Pick<SignedPackage, 'publicKeyUrl' | 'reportId' | 'sha256'>): string {
  return `${origin(publicKeyUrl)}/verify#report=${reportId}&sha256=${sha256}`;
}
