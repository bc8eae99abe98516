import { deflateSync } from 'node:zlib';
import { isPdf } from '@countersign/evidence';
import { packageInPdf } from './package-in-pdf.js';

const JSON_TEXT = '{"schemaVersion":"1.0.0"}';

function pdfWith(stream: Buffer, dictionary: string, length = stream.length): Buffer {
  const head = `%PDF-1.7\n5 0 obj\n<<\n/Type /EmbeddedFile\n/Length ${length}\n${dictionary}>>`;
  return Buffer.concat([Buffer.from(`${head}\nstream\n`), stream, Buffer.from('\n\nendstream\nendobj\n%%EOF\n')]);
}

describe('a package inside of a PDF', () => {
  it('is taken out, compressed or not', () => {
    const packed = deflateSync(Buffer.from(JSON_TEXT));
    const compressed = pdfWith(packed, '/Filter /FlateDecode\n');
    expect(Buffer.from(packageInPdf(compressed)).toString()).toBe(JSON_TEXT);
    const plain = pdfWith(Buffer.from(JSON_TEXT), '');
    expect(Buffer.from(packageInPdf(plain)).toString()).toBe(JSON_TEXT);
  });

  it.each([
    ['none', Buffer.from('%PDF-1.7\n%%EOF'), 'no package attached'],
    ['two', Buffer.concat([pdfWith(Buffer.from('{}'), ''), pdfWith(Buffer.from('{}'), '')]), 'more than one'],
    ['one that is shorter than it says', pdfWith(Buffer.from('{}'), '', 99_999), 'cannot be read'],
    ['one that ends elsewhere', pdfWith(Buffer.from(JSON_TEXT), '', 4), 'does not end where it says'],
    [
      'one that is not what its filter says',
      pdfWith(Buffer.from(JSON_TEXT), '/Filter /FlateDecode\n'),
      'cannot be read',
    ],
    ['one without a length', Buffer.from('%PDF-1.7\n/Type /EmbeddedFile\nstream\n{}\nendstream'), 'cannot be read'],
  ])('is refused where there is %s', (_what, pdf, words) => {
    expect(packageInPdf(pdf)).toEqual(expect.stringContaining(words));
  });

  it('is looked for in a PDF alone', () => {
    expect(isPdf(Buffer.from('%PDF-1.4'))).toBe(true);
    expect(isPdf(Buffer.from(JSON_TEXT))).toBe(false);
  });
});
