import { isRecord } from '../reading.js';
import { verifyEd25519 } from '../signature/ed25519.js';
import { keyId } from '../signature/public-key.js';
import type { PdfSignature } from '../package/pdf-layout.js';
import { pdfMessage } from '../package/pdf-signature.js';
import type { VerifyOptions } from './options.js';
import type { Problem } from './result.js';

/** Verdict on the pages of a PDF, and on all its other bytes. */
export interface PdfPages {
  /**
   * `issued`: the key that signed the package signed every byte of the file; whether the key may be used is judged with
   * the package. `unsigned`: issued before PDFs were signed. `differ`: not the issued ones.
   */
  readonly verdict: 'issued' | 'differ' | 'unsigned' | 'unchecked';
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly problems: readonly Problem[];
}

const KEY_OF = /\/v1\/keys\/(key_[0-9a-f]{16})$/;
const DIFFER = 'The pages are not those that were issued';

/**
 * Checks that the issuer of a PDF's package signed the bytes of the file.
 * @param pkg the package inside, which `verifyPackage` verifies separately
 */
export function checkPdfPages(
  pdf: Uint8Array,
  signature: PdfSignature | null,
  pkg: unknown,
  { crypto, keys }: Pick<VerifyOptions, 'crypto' | 'keys'>,
): PdfPages {
  const { publicKeyUrl, signedPages } = isRecord(pkg) ? pkg : {};
  if (signature === null) {
    if (signedPages !== undefined) return differ('the package says that its PDF is signed, and this one is not');
    return open(
      'unsigned',
      'the package is verified, its pages are not: no signature covers them, as in PDFs that were issued before they were signed',
    );
  }
  const named = typeof publicKeyUrl === 'string' ? KEY_OF.exec(publicKeyUrl)?.[1] : undefined;
  if (named !== signature.keyId) return differ('the PDF names another key than its package');
  if (keys === null) return open('unchecked', 'the package alone was looked at: no key was given');
  const key = keys.find(({ publicKey }) => keyId(publicKey, crypto.sha256) === signature.keyId);
  if (key === undefined) return differ('the PDF names a key that is not the given one');
  const message = pdfMessage(pdf, signature, crypto.sha256);
  if (!verifyEd25519(key.publicKey, message, signature.signature, crypto.ed25519Verify))
    return differ('the signature of the PDF is not that of the key over these bytes');
  const checked = [`every byte of the PDF, its pages with them: signed by ${signature.keyId}`];
  return { verdict: 'issued', checked, notChecked: [], problems: [] };
}

function differ(why: string): PdfPages {
  const problem: Problem = { code: 'pages-differ', path: 'pages', message: `${DIFFER}: ${why}.` };
  return { verdict: 'differ', checked: [], notChecked: [], problems: [problem] };
}

function open(verdict: PdfPages['verdict'], why: string): PdfPages {
  return { verdict, checked: [], notChecked: [`the pages of the PDF: ${why}`], problems: [] };
}
