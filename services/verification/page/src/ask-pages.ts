import { ask } from './ask.js';
import type { KeyChoice } from './find-keys.js';
import type { ReadFile } from './read-file.js';

/** What is said of the pages of a PDF: only the service that drew them knows them again. */
export interface Pages {
  /** Drawn by the service, byte for byte; also where the file has no pages. */
  readonly known: boolean;
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
}

const NO_PAGES: Pages = { known: true, checked: [], notChecked: [] };
const PACKAGE_ALONE = 'the pages of the PDF: the package inside was verified, and they may say something else';

/**
 * Asks the service whether it issued a PDF of exactly these bytes: a sound package may lie in a file whose pages somebody
 * drew anew. Nothing but the hash of the file is sent, and nothing where the reader brought a key of their own.
 */
export async function askPages({ fromPdf, fileSha256 }: ReadFile, keys: KeyChoice): Promise<Pages> {
  if (!fromPdf) return NO_PAGES;
  if (keys.from === 'pem')
    return unknown(`${PACKAGE_ALONE}; the issuer tells the package of a file by its SHA-256, and was not asked`);
  const answer = await ask(`${keys.base}v1/reports/by-pdf-sha256/${fileSha256}`, { method: 'HEAD' });
  if (answer?.status === 200)
    return { known: true, checked: ['the pages of the PDF: this service issued these very bytes'], notChecked: [] };
  if (answer?.status === 404)
    return unknown(`${PACKAGE_ALONE}: this service has issued no PDF of these bytes, or has withdrawn it`);
  return unknown(`${PACKAGE_ALONE}; this service did not answer whether it issued these bytes`);
}

function unknown(why: string): Pages {
  return { known: false, checked: [], notChecked: [why] };
}
