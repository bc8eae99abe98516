import { readFileSync } from 'node:fs';
import { isPdf } from '@countersign/evidence';
import { packageInPdf, type PdfContent } from './package-in-pdf.js';

const VECTORS = new URL('../../../../libs/evidence/vectors/pdf/', import.meta.url);

function vector(name: string): { readonly pdf: Buffer; readonly content: string | null } {
  const { pdf, expected } = JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8')) as {
    readonly pdf: string;
    readonly expected: { readonly package: string | null };
  };
  return { pdf: Buffer.from(pdf, 'base64'), content: expected.package };
}

describe('a package inside a PDF', () => {
  it.each(['valid', 'valid-deflated'])('is extracted, compressed or not: %s', (name) => {
    const { pdf, content } = vector(name);
    const found = packageInPdf(pdf) as PdfContent;
    expect([Buffer.from(found.json).toString(), found.signature]).toEqual([content, null]);
  });

  it.each([
    ['none', 'no package attached'],
    ['second', 'more than one'],
    ['second-escaped', 'not laid out as reports are issued'],
    ['updated', 'not laid out as reports are issued'],
    ['length-long', 'not laid out as reports are issued'],
    ['filters', 'cannot be read'],
    ['not-deflated', 'cannot be read'],
    ['bytes-after-deflated', 'more bytes than its zlib stream'],
  ])('is refused as the vector %s expects', (name, message) => {
    expect(packageInPdf(vector(name).pdf)).toEqual(expect.stringContaining(message));
  });

  it('is searched in a PDF only', () => {
    expect(isPdf(Buffer.from('%PDF-1.4'))).toBe(true);
    expect(isPdf(Buffer.from('{}'))).toBe(false);
    expect(isPdf(Buffer.from('%PDF'))).toBe(false);
  });
});
