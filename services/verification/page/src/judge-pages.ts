import { ask, jsonOf } from './ask.js';
import type { Problem, VerificationKey } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';
import type { KeyChoice } from './find-keys.js';
import type { ReadFile } from './read-file.js';

/** Result of checking the pages of a PDF. */
export interface Pages {
  /** Issued, byte for byte; also where the file has no pages. */
  readonly known: boolean;
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly problems: readonly Problem[];
}

const NO_PAGES: Pages = { known: true, checked: [], notChecked: [], problems: [] };
const SAME_BYTES = 'the pages of the PDF: this service issued these very bytes';

/**
 * Holds a PDF against its signature, and asks the service whether it issued these bytes: a sound package may lie in a file
 * whose pages another drew. Nothing but the hash of the file is sent, and nothing where the reader brought a key.
 */
export async function judgePages(
  library: EvidenceLibrary,
  { pdf, value, fileSha256 }: ReadFile,
  keys: readonly VerificationKey[] | null,
  choice: KeyChoice,
): Promise<Pages> {
  if (pdf === null) return NO_PAGES;
  const signed = library.checkPdfPages(pdf.bytes, pdf.signature, value, { crypto: library.browserCrypto, keys });
  const { checked, notChecked, problems } = signed;
  const bySignature: Pages = { known: signed.verdict === 'issued', checked, notChecked, problems };
  if (choice.from === 'pem' || problems.length > 0) return bySignature;
  const place = `${choice.base}v1/reports/by-pdf-sha256/${fileSha256}`;
  const answer = await ask(place, { method: 'HEAD' });
  if (answer?.status === 200) {
    return { known: true, checked: [...checked, SAME_BYTES], notChecked: [], problems };
  }
  if (answer?.status !== 404) {
    const unanswered = 'the pages of the PDF: this service did not answer whether it issued these bytes';
    return bySignature.known ? bySignature : { ...bySignature, notChecked: [...notChecked, unanswered] };
  }
  const reason = await ask(place);
  const withdrawn = reason === null ? null : wordsOf(await jsonOf(reason));
  if (withdrawn !== null) {
    return { known: false, checked, notChecked: [...notChecked, `the pages of the PDF: ${withdrawn}`], problems };
  }
  const message = 'The pages are not those that were issued: this service has issued no PDF of these bytes.';
  return { known: false, checked, notChecked: [], problems: [{ code: 'pages-differ', path: 'pages', message }] };
}

/** Why the report was withdrawn; `null`: it was not. */
function wordsOf(body: unknown): string | null {
  const error = (body as { readonly error?: unknown } | null)?.error;
  return typeof error === 'string' && error.startsWith('withdrawn: ') ? `this service has its report ${error}` : null;
}
