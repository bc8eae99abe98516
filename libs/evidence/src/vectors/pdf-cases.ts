import type { Sha256 } from '../crypto.js';
import { toBase64 } from '../encoding/base64.js';
import { utf8 } from '../encoding/text.js';
import { withPdfSignature } from '../package/pdf-signature.js';
import { keyId, publicKeyToPem } from '../signature/public-key.js';
import type { PdfPages } from '../verify/pdf-pages.js';
import { smallStory } from './airline-story.js';
import { resigned } from './cases.js';
import { issueStory, type StoryKey } from './story-package.js';
import type { Loose } from './tampered.js';

/** A file that claims to be the PDF of a report. */
export interface PdfVector {
  readonly description: string;
  /** Base64. */
  readonly pdf: string;
  /** PEM; `null`: no key is given. Where the member is missing the pages are not judged. */
  readonly keys?: readonly string[] | null;
  readonly expected: {
    /** The attachment, as text; `null`: the file is refused. */
    readonly package: string | null;
    readonly pages?: PdfPages['verdict'];
  };
}

/** A part of a file: one character for each byte. */
type Bytes = string;

interface Written {
  /** Objects from 1 on, without `N 0 obj` and `endobj`. */
  readonly objects: readonly Bytes[];
  readonly header?: Bytes;
  /** Between the objects and the table. */
  readonly beside?: Bytes;
  readonly trailer?: Bytes;
  readonly after?: Bytes;
}

const PACKAGE = '{"schemaVersion":"1.0.0"}';
const OTHER = '{"schemaVersion":"other"}';
const DATE = '(D:20260301120000Z)';

function embedded(content: Bytes, filter = '', length = String(content.length)): Bytes {
  const params = `<<\n/CreationDate ${DATE}\n/ModDate ${DATE}\n/CheckSum (${'0'.repeat(32)})\n/Size ${PACKAGE.length}\n>>`;
  const head = `<<\n/Type /EmbeddedFile\n/Params ${params}\n/Subtype /application#2Fjson\n/Length ${length}\n${filter}>>`;
  return `${head}\nstream\n${content}\nendstream`;
}

function specification(object: number, key = 'EF', name = '(package.json)'): Bytes {
  const files = `/${key} <<\n/F ${object} 0 R\n>>`;
  return `<<\n/Type /Filespec\n/AFRelationship /Source\n/F ${name}\n${files}\n/UF ${name}\n/Desc (The package)\n>>`;
}

const catalog = (names: Bytes): Bytes =>
  `<<\n/Type /Catalog\n/Names <<\n/EmbeddedFiles <<\n/Names [${names}]\n>>\n>>\n/AF [3 0 R]\n>>`;

/**
 * Of a report: the catalog, the attachment, its file specification, a title, and the page's link with a number sign in
 * it.
 */
const REPORT: readonly Bytes[] = [
  catalog('(package.json) 3 0 R'),
  embedded(PACKAGE),
  specification(2),
  '(Evidence report \\(1\\))',
  '<<\n/Type /Annot\n/A <<\n/S /URI\n/URI (https://verify.example/verify#report=1)\n>>\n>>',
];

const instead = (index: number, object: Bytes): readonly Bytes[] =>
  REPORT.map((one, i) => (i === index ? object : one));
const also = (...objects: readonly Bytes[]): readonly Bytes[] => [...REPORT, ...objects];

function written({
  objects,
  header = '%PDF-1.7\n%\xff\xff\xff\xff\n',
  beside = '',
  trailer,
  after = '',
}: Written): Bytes {
  let file = header;
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const [i, object] of objects.entries()) {
    table += `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
  }
  file += beside;
  const keys = trailer ?? `/Size ${objects.length + 1}\n/Root 1 0 R\n/Info 4 0 R\n/ID [<ab> <ab>]\n`;
  return `${file}${table}trailer\n<<\n${keys}>>\nstartxref\n${file.length}\n%%EOF\n${after}`;
}

/** A newer table after a file, replacing its attachment, as PDF editors write one. */
function updated(file: Bytes): Bytes {
  const at = file.length;
  const object = `2 0 obj\n${embedded(OTHER)}\nendobj\n`;
  const table = `xref\n2 1\n${String(at).padStart(10, '0')} 00000 n \n`;
  const before = /startxref\n(\d+)/.exec(file)![1]!;
  const trailer = `trailer\n<<\n/Size 6\n/Root 1 0 R\n/Prev ${before}\n>>\nstartxref\n${at + object.length}\n%%EOF\n`;
  return file + object + table + trailer;
}

/** A zlib stream (RFC 1950) of one stored block. */
function stored(content: string): Bytes {
  let [a, b] = [1, 0];
  for (const character of content) {
    a = (a + character.charCodeAt(0)) % 65_521;
    b = (b + a) % 65_521;
  }
  const length = content.length;
  const bytes = [0x78, 0x01, 1, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255];
  const sum = [b >> 8, b & 255, a >> 8, a & 255];
  return String.fromCharCode(...bytes) + content + String.fromCharCode(...sum);
}

const report = written({ objects: REPORT });
const second = (key: string): readonly Bytes[] => also(embedded(OTHER), specification(6, key, '(other.json)'));
/** Without a type, which no viewer needs. */
const bare = `<<\n/Length ${OTHER.length}\n>>\nstream\n${OTHER}\nendstream`;

const NAMED = 'is no white space: what follows belongs to the name.';
const SOUND: readonly (readonly [string, string, Bytes])[] = [
  ['valid-no-break-space', `U+00A0 ${NAMED}`, written({ objects: instead(4, '<<\n/X /Y\xa0obj\xa0\n>>') })],
  ['valid-next-line', `U+0085 ${NAMED}`, written({ objects: instead(4, '<<\n/X /Y\x85stream\x85\n>>') })],
  ['valid-vertical-tab', `A vertical tab ${NAMED}`, written({ objects: instead(4, '<<\n/X /Y\x0bobj\x0b\n>>') })],
  ['valid', 'One attachment, as it is.', report],
  [
    'valid-deflated',
    'One attachment, compressed.',
    written({ objects: instead(1, embedded(stored(PACKAGE), '/Filter /FlateDecode\n')) }),
  ],
];

const REFUSED: readonly (readonly [string, string, Bytes])[] = [
  [
    'bytes-after-deflated',
    'Bytes after the zlib stream.',
    written({ objects: instead(1, embedded(`${stored(PACKAGE)}more`, '/Filter /FlateDecode\n')) }),
  ],
  [
    'keyword-after-null',
    'A keyword after the white space NUL.',
    written({ objects: instead(4, '<<\n/X /Y\x00obj\n>>') }),
  ],
  ['none', 'No attachment.', written({ objects: ['<<\n/Type /Catalog\n>>', '(a)', '(b)', '(c)'] })],
  ['second', 'A second attachment.', written({ objects: second('EF') })],
  ['second-untyped', 'A second one without a type.', written({ objects: also(bare, specification(6)) })],
  ['second-escaped', 'A second one whose name is spelled with numbers.', written({ objects: second('E#46') })],
  [
    'type-escaped',
    'The type of a second one is spelled with numbers.',
    written({ objects: also(embedded(OTHER).replace('/EmbeddedFile', '/#45mbeddedFile')) }),
  ],
  [
    'second-of-page',
    'A second one that a page shows.',
    written({ objects: also(bare, `<<\n/Subtype /FileAttachment\n/FS <<\n/EF <<\n/F 6 0 R\n>>\n>>\n>>`) }),
  ],
  [
    'related-file',
    'A file that is related to the attachment.',
    written({ objects: instead(2, specification(2).replace('/UF', '/RF <<\n/F [(a) 5 0 R]\n>>\n/UF')) }),
  ],
  [
    'object-stream',
    'Objects inside of a stream.',
    written({ objects: also('<<\n/Type /ObjStm\n/N 1\n/First 4\n/Length 6\n>>\nstream\n9 0 ()\nendstream') }),
  ],
  ['updated', 'A newer table that replaces the attachment.', updated(report)],
  [
    'older-table',
    'A trailer that names an older table.',
    written({ objects: REPORT, trailer: trailerWith('/Prev 9\n') }),
  ],
  [
    'hybrid-table',
    'A trailer that names a second table.',
    written({ objects: REPORT, trailer: trailerWith('/XRefStm 9\n') }),
  ],
  ['after-end', 'Bytes behind the end.', written({ objects: REPORT, after: '%%EOF\n' })],
  ['before-begin', 'Bytes before the beginning.', `\n${report}`],
  [
    'beside-objects',
    'An object that the table does not name.',
    written({ objects: REPORT, beside: `2 0 obj\n${embedded(OTHER)}\nendobj\n` }),
  ],
  [
    'within-object',
    'An object within another one.',
    written({ objects: instead(3, `(a)\nendobj\n2 0 obj\n${embedded(OTHER)}`) }),
  ],
  [
    'comment',
    'A comment, which viewers skip.',
    written({ objects: instead(2, `%${specification(2)}\n${specification(5)}`) }),
  ],
  [
    'string-unended',
    'A string that ends behind its object.',
    written({ objects: instead(3, '(Evidence report\nendobj\n)') }),
  ],
  [
    'string-of-lines',
    'A string that holds what looks like an attachment.',
    written({ objects: instead(3, `(\n${specification(2)}\n)`) }),
  ],
  ['other-object', 'An attachment that is another object.', written({ objects: instead(2, specification(5)) })],
  [
    'name-in-hex',
    'A name of the file in another form.',
    written({ objects: instead(2, specification(2, 'EF', '<61>')) }),
  ],
  [
    'external',
    'An attachment whose bytes are in another file.',
    written({ objects: instead(1, embedded(PACKAGE).replace('/Length', '/F (other)\n/Length')) }),
  ],
  [
    'filters',
    'An attachment with two filters.',
    written({ objects: instead(1, embedded(PACKAGE, '/Filter [/FlateDecode /FlateDecode]\n')) }),
  ],
  [
    'length-elsewhere',
    'A length that is another object.',
    written({ objects: instead(1, embedded(PACKAGE, '', '5 0 R')) }),
  ],
  ['length-short', 'A length that is too short.', written({ objects: instead(1, embedded(PACKAGE, '', '4')) })],
  ['length-long', 'A length beyond the file.', written({ objects: instead(1, embedded(PACKAGE, '', '99999')) })],
  ['length-twice', 'Two lengths.', written({ objects: instead(1, embedded(PACKAGE, '/Length 4\n')) })],
  ['cut-off', 'A file that is not whole.', report.slice(0, -9)],
  [
    'not-deflated',
    'An attachment that is not what its filter says.',
    written({ objects: instead(1, embedded(PACKAGE, '/Filter /FlateDecode\n')) }),
  ],
];

function trailerWith(key: Bytes): Bytes {
  return `/Size 6\n/Root 1 0 R\n/Info 4 0 R\n/ID [<ab> <ab>]\n${key}`;
}

const bytesOf = (file: Bytes): Uint8Array => Uint8Array.from(file, (character) => character.charCodeAt(0));

/** @param title the object that holds the report's title, as it is written */
export function titledReport(title: string): Uint8Array {
  return bytesOf(written({ objects: instead(3, title) }));
}

interface Report {
  readonly content: string;
  readonly file: Bytes;
}

/** A report whose package is not one but names the key. */
function reportOf(id: string, more = '', action = 'A'): Report {
  const content = `{"publicKeyUrl":"https://countersign.example/v1/keys/${id}","schemaVersion":"1.0.0"${more}}`;
  return reportWith(content, action);
}

/** The package of the small story, before its own transaction was final. */
function wholeReport(signedPages: boolean, key: StoryKey, sha256: Sha256): Report {
  const pending = issueStory({ ...smallStory(sha256), anchored: false }, key, sha256);
  const mark = (pkg: Loose): void => void (signedPages && (pkg.signedPages = true));
  return reportWith(JSON.stringify(resigned(pending, mark, key, sha256)));
}

function reportWith(content: string, action = 'A'): Report {
  const page = '<<\n/Length 9\n>>\nstream\n(none) Tj\nendstream';
  const link = REPORT[4]!.replace('/A ', `/${action} `);
  const objects = [REPORT[0]!, embedded(content), REPORT[2]!, REPORT[3]!, link, page];
  return { content, file: written({ objects }) };
}

const textOf = (bytes: Uint8Array): Bytes => String.fromCharCode(...bytes);

function signedVectors(sha256: Sha256, key: StoryKey, other: StoryKey): [string, PdfVector][] {
  const [id, otherId] = [keyId(key.publicKey, sha256), keyId(other.publicKey, sha256)];
  const pem = publicKeyToPem(key.publicKey);
  const { content, file } = reportOf(id, ',"signedPages":true');
  const signed = (given: Bytes, by: StoryKey = key, message?: (made: Uint8Array) => Uint8Array): Bytes => {
    const room = withPdfSignature(bytesOf(given), keyId(by.publicKey, sha256), sha256);
    return textOf(room.sign(by.sign(message?.(room.message) ?? room.message)));
  };
  const sound = signed(file);
  type Row = readonly [string, string, Bytes, PdfPages['verdict'] | null, (readonly string[] | null)?, string?];
  const unmarked = reportOf(id);
  const [whole, before] = [wholeReport(true, key, sha256), wholeReport(false, key, sha256)];
  const otherPage = (given: Bytes): Bytes => given.replace('(none) Tj', '(nine) Tj');
  const rows: readonly Row[] = [
    ['signed', 'Every byte is signed by the key of the package.', sound, 'issued'],
    ['signed-no-key', 'The same, and no key is given.', sound, 'unchecked', null],
    ['signed-other-keys', 'The same, and another key is given.', sound, 'differ', [publicKeyToPem(other.publicKey)]],
    [
      'signed-unmarked',
      'A signed PDF whose package does not say that it is signed.',
      signed(unmarked.file),
      'issued',
      [pem],
      unmarked.content,
    ],
    ['signed-page-changed', 'One letter of a page is another.', otherPage(sound), 'differ'],
    ['signed-link-changed', 'A link leads elsewhere.', sound.replace('verify.example', 'verify.exampla'), 'differ'],
    ['signed-trailer-changed', 'The trailer names another id.', sound.replace('<ab> <ab>', '<ab> <ac>'), 'differ'],
    ['signed-by-another', 'Another key signed, and is named.', signed(file, other), 'differ'],
    [
      'signed-by-another-given',
      'Another key signed and is named; the verifier trusts both.',
      signed(file, other),
      'differ',
      [pem, publicKeyToPem(other.publicKey)],
    ],
    [
      'signed-by-another-unnamed',
      'Another key signed; that of the package is named.',
      signed(file, other).replace(`(${otherId})`, `(${id})`),
      'differ',
    ],
    [
      'signed-file-itself',
      'The key signed the bytes of the file, not the name of the form and their hash.',
      signed(file, key, () => bytesOf(file)),
      'differ',
    ],
    ['signed-zeros', 'The signature is all zeros.', sound.replace(/[0-9a-f]{128}/, '0'.repeat(128)), 'differ'],
    ['signature-removed', 'The signature was taken out, and the package says that there is one.', file, 'differ'],
    [
      'unsigned',
      'Issued before PDFs were signed: nothing covers the pages.',
      unmarked.file,
      'unsigned',
      [pem],
      unmarked.content,
    ],
    [
      'signature-upper-case',
      'The digits of the signature are in upper case.',
      sound.replace(/[0-9a-f]{128}/, (digits) => digits.toUpperCase()),
      null,
    ],
    ['report-signed', 'A whole package in a signed PDF.', signed(whole.file), 'issued', [pem], whole.content],
    [
      'report-page-changed',
      'The same with other words on a page.',
      otherPage(signed(whole.file)),
      'differ',
      [pem],
      whole.content,
    ],
    [
      'report-signature-removed',
      'The same without its signature, and with other words on a page.',
      otherPage(whole.file),
      'differ',
      [pem],
      whole.content,
    ],
    [
      'report-unsigned',
      'A whole package in a PDF from before PDFs were signed.',
      before.file,
      'unsigned',
      [pem],
      before.content,
    ],
    ['signature-twice', 'Two signatures.', signed(sound), null],
    ...['OpenAction', 'AA', 'JavaScript', 'JS', 'Launch', 'SubmitForm', 'ImportData', 'XFA', 'RichMedia'].map(
      (name): Row => [
        `signed-action-${name.toLowerCase()}`,
        `A signed PDF with /${name}: reports have none.`,
        signed(reportOf(id, ',"signedPages":true', name).file),
        null,
      ],
    ),
  ];
  return rows.map(([name, description, pdf, pages, keys = [pem], inside = content]) => {
    const expected = pages === null ? { package: null } : { package: inside, pages };
    return [name, { description, pdf: toBase64(bytesOf(pdf)), keys, expected }];
  });
}

/** Names and contents of all PDF vectors; the same bytes on every run. */
export function pdfVectorFiles(sha256: Sha256, keyOf: (seed: Uint8Array) => StoryKey): [name: string, text: string][] {
  const vectors: [string, PdfVector][] = [
    ...SOUND.map((one) => plain(one, PACKAGE)),
    ...REFUSED.map((one) => plain(one, null)),
    ...signedVectors(
      sha256,
      keyOf(sha256(utf8('countersign test vectors'))),
      keyOf(sha256(utf8('another key of test vectors'))),
    ),
  ];
  return vectors.map(([name, vector]) => [`${name}.json`, `${JSON.stringify(vector, null, 2)}\n`]);
}

function plain(
  [name, description, pdf]: readonly [string, string, Bytes],
  content: string | null,
): [string, PdfVector] {
  return [name, { description, pdf: toBase64(bytesOf(pdf)), expected: { package: content } }];
}
