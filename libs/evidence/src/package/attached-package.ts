import { utf8 } from '../encoding/text.js';
import { eachPdfObject, type PdfSignature } from './pdf-layout.js';

const HEAD = utf8('%PDF-');

/** A file that is attached to a PDF. */
export interface AttachedPackage {
  readonly content: Uint8Array;
  /** `content` is a zlib stream (RFC 1950) of the file. */
  readonly deflated: boolean;
  /** `null` where the PDF has none. */
  readonly pdfSignature: PdfSignature | null;
}

/**
 * Names that make a stream of a PDF an attachment or may hide one. Names are enough: the layout allows no other
 * spelling of them.
 */
const MARKS = /\/(EF|EmbeddedFile|RF|FileAttachment|ObjStm|XRef|Encrypt)(?![^\x00\t\n\f\r ()<>[\]{}/%])/g;
/** Names that make a reader run an action, or show content that is not drawn on a page. */
const ACTIONS =
  /\/(OpenAction|AA|JavaScript|JS|Launch|SubmitForm|ImportData|XFA|RichMedia)(?![^\x00\t\n\f\r ()<>[\]{}/%])/;
const NOT_ISSUED = 'so the pages are not those that were issued';
const TEXT = String.raw`\((?:[^()\\\n\r]|\\[nrtbf()\\]){0,65536}\)`;
const FILE_SPECIFICATION = new RegExp(
  String.raw`^<<\n/Type /Filespec\n/AFRelationship /Source\n/F ${TEXT}\n/EF <<\n/F (\d{1,9}) 0 R\n>>\n/UF ${TEXT}\n/Desc ${TEXT}\n>>$`,
);
const EMBEDDED_FILE =
  /^<<\n\/Type \/EmbeddedFile\n\/Params <<\n\/CreationDate \(D:\d{14}Z\)\n\/ModDate \(D:\d{14}Z\)\n\/CheckSum \([0-9a-f]{32}\)\n\/Size \d{1,10}\n>>\n\/Subtype \/application#2Fjson\n\/Length \d{1,10}\n(\/Filter \/FlateDecode\n)?>>$/;

/** Reports whether a file claims to be a PDF. */
export function isPdf(bytes: Uint8Array): boolean {
  return bytes.length >= HEAD.length && HEAD.every((byte, i) => bytes[i] === byte);
}

/**
 * The package attached to the PDF of a report. It reads only files that are laid out as issued reports: one attachment,
 * and a layout in which no viewer can find another one (`FORMAT.md`, "The PDF of a report").
 * @returns the problem, as text, for another layout or any other number of attachments
 */
export function attachedPackage(pdf: Uint8Array): AttachedPackage | string {
  const marks: string[] = [];
  const embedded = new Map<number, Omit<AttachedPackage, 'pdfSignature'>>();
  let named: number | null = null;
  let action: string | null = null;
  const trailer = eachPdfObject(pdf, ({ id, text, bare, stream }) => {
    for (const [, mark] of bare.matchAll(MARKS)) marks.push(mark!);
    action ??= ACTIONS.exec(bare)?.[1] ?? null;
    const specification = FILE_SPECIFICATION.exec(text);
    if (specification !== null) named = Number(specification[1]);
    const file = stream === null ? null : EMBEDDED_FILE.exec(text);
    if (file !== null) embedded.set(id, { content: stream!, deflated: file[1] !== undefined });
  });
  if (trailer === null) {
    return (
      `The PDF is not laid out as reports are issued, ${NOT_ISSUED}: a viewer may show another attachment than is read ` +
      'here. Verify the file as it was issued, not saved again by a program, or the JSON.'
    );
  }
  if (action !== null) return `The PDF holds /${String(action)}, which reports do not, ${NOT_ISSUED}.`;
  if (marks.length === 0) return 'The PDF has no package attached.';
  if (marks.toSorted().join() !== 'EF,EmbeddedFile') {
    return 'The PDF has more than one attachment, or other parts than reports have: which is meant is open.';
  }
  const file = named === null ? undefined : embedded.get(named);
  return file === undefined
    ? 'The attachment of the PDF cannot be read.'
    : { ...file, pdfSignature: trailer.signature };
}
