import { readdirSync, readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { fromBase64 } from '../encoding/base64.js';
import { attachedPackage, isPdf } from '../package/attached-package.js';
import { publicKeyFromPem } from '../signature/public-key.js';
import { checkPdfPages, type PdfPages } from '../verify/pdf-pages.js';
import { type PdfVector, pdfVectorFiles, titledReport } from './pdf-cases.js';

const FOLDER = new URL('../../vectors/pdf/', import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const text = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const load = (name: string): PdfVector => JSON.parse(text(name)) as PdfVector;

function packageIn(pdf: Uint8Array): string | null {
  const found = attachedPackage(pdf);
  if (typeof found === 'string') return null;
  try {
    if (!found.deflated) return Buffer.from(found.content).toString('utf8');
    const options = { info: true } as object;
    const { buffer, engine } = inflateSync(found.content, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    return engine.bytesWritten === found.content.length ? buffer.toString('utf8') : null;
  } catch {
    return null;
  }
}

/** `undefined` for a file that is refused. */
function pagesOf(pdf: Uint8Array, pems: readonly string[] | null): PdfPages | undefined {
  const found = attachedPackage(pdf);
  if (typeof found === 'string') return undefined;
  const keys = pems?.map((pem) => ({ ...VALID, publicKey: publicKeyFromPem(pem)! })) ?? null;
  return checkPdfPages(pdf, found.pdfSignature, JSON.parse(packageIn(pdf)!), { crypto: nodeCrypto, keys });
}
const VALID = { status: 'active', validFrom: null, validTo: null } as const;

describe('the test vectors of PDFs', () => {
  it.each(names)('%s is read as it says', (name) => {
    const { pdf, keys, expected } = load(name);
    const file = fromBase64(pdf)!;
    expect(packageIn(file)).toBe(expected.package);
    if (keys === undefined) return;
    const pages = pagesOf(file, keys);
    expect(pages?.verdict).toBe(expected.pages);
    const words = expected.pages === 'differ' ? ['The pages are not those that were issued'] : [];
    expect(pages?.problems.map(({ message }) => message.split(':')[0]) ?? []).toEqual(words);
  });

  it('reports any byte of a signed file that is changed, removed or inserted', () => {
    const { pdf, keys } = load('signed.json');
    const file = fromBase64(pdf)!;
    const change = fc.record({
      at: fc.nat(file.length - 1),
      byte: fc.nat(255),
      act: fc.constantFrom('set', 'drop', 'add'),
    });
    fc.assert(
      fc.property(change, ({ at, byte, act }) => {
        const kept = act === 'add' ? file.subarray(at) : file.subarray(at + 1);
        const put = act === 'drop' ? [] : [byte];
        const changed = Uint8Array.from([...file.subarray(0, at), ...put, ...kept]);
        const same = Buffer.from(changed).equals(file);
        let verdict: string | undefined;
        try {
          verdict = pagesOf(changed, keys!)?.verdict;
        } catch {
          verdict = 'no package';
        }
        expect(verdict === 'issued').toBe(same);
        expect(verdict).not.toBe('unsigned');
      }),
      { numRuns: 200 },
    );
  });

  it('are the files that the generator writes, byte for byte', () => {
    const made = pdfVectorFiles(nodeCrypto.sha256, seededKey);
    expect(made.map(([name]) => name).sort()).toEqual([...names].sort());
    for (const [name, content] of made) expect(content === text(name) ? name : `${name} differs`).toBe(name);
  });

  it('give no other package, whatever byte of a file is changed, removed or inserted', () => {
    const { pdf, expected } = load('valid.json');
    const file = fromBase64(pdf)!;
    const change = fc.record({
      at: fc.nat(file.length - 1),
      byte: fc.nat(255),
      act: fc.constantFrom('set', 'drop', 'add'),
    });
    fc.assert(
      fc.property(change, ({ at, byte, act }) => {
        const kept = act === 'add' ? file.subarray(at) : file.subarray(at + 1);
        const put = act === 'drop' ? [] : [byte];
        const found = packageIn(Uint8Array.from([...file.subarray(0, at), ...put, ...kept]));
        // The attachment may change, and then does not verify: it is what a viewer shows.
        if (act !== 'set') expect([null, expected.package]).toContain(found);
        else if (found !== null) expect(found).toHaveLength(expected.package!.length);
      }),
      { numRuns: 300 },
    );
  });

  it.each(['x', '\\n', '\\(\\)'])('may have strings of 65,536 characters at most: %j', (part) => {
    const most = part === '\\(\\)' ? 2 ** 15 : 2 ** 16;
    expect(packageIn(titledReport(`(${part.repeat(most)})`))).toBe('{"schemaVersion":"1.0.0"}');
    expect(packageIn(titledReport(`(${part.repeat(most)}x)`))).toBeNull();
    expect(packageIn(titledReport(`(${part.repeat(2 ** 20)})`))).toBeNull();
    expect(packageIn(titledReport(`(${part.repeat(2 ** 20)}`))).toBeNull();
  });

  it('may have long lists and many strings', () => {
    for (const value of [`[${'20 0 R '.repeat(2 ** 20)}]`, `[${'(\\)) '.repeat(2 ** 18)}]`])
      expect(packageIn(titledReport(value))).toBe('{"schemaVersion":"1.0.0"}');
  });

  it('are of files that claim to be PDFs, except one', () => {
    const others = names.filter((name) => !isPdf(fromBase64(load(name).pdf)!));
    expect(others).toEqual(['before-begin.json']);
  });
});
