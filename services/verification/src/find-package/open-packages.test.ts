import type { ReportFacts } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { PackageRemoved, type StoredPackage } from '../store/package-bodies.js';
import { OpenPackages, type FoundPackage } from './open-packages.js';

const SHA = 'cd'.repeat(32);
const PDF = '12'.repeat(32);
const REPORT: ReportFacts = {
  accountId: 'a',
  createdAt: '2026-01-01T00:00:00.000Z',
  format: 'pdf',
  frameworks: ['soc2'],
  public: true,
  sha256: SHA,
  contentHash: 'ef'.repeat(32),
  signature: 'c2ln',
  keyId: 'key_0123456789abcdef',
  pdfSha256: PDF,
  withdrawn: null,
};

describe('packages that may be fetched without an account', () => {
  let report: ReportFacts | null;
  let body: StoredPackage | null;
  const packages = new OpenPackages(
    {
      report: async (id) => (id === 'r1' ? report : null),
      reportByPdfSha256: async (hash) => (hash === PDF && report !== null ? { id: 'r1', facts: report } : null),
    },
    { get: async (sha256) => (sha256 === SHA ? body : null) },
    500,
  );
  const WAYS: readonly (readonly [string, () => Promise<FoundPackage>])[] = [
    ['by the id of a public report', () => packages.ofPublicReport('r1')],
    ['by the hash of its PDF', () => packages.ofPdf(PDF) as Promise<FoundPackage>],
  ];
  beforeEach(() => {
    report = REPORT;
    body = { bytes: 7, chunks: chunks() };
  });
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"a":1}');
  }
  const readAll = async (find: () => Promise<FoundPackage>): Promise<string> => {
    const parts: Uint8Array[] = [];
    for await (const part of (await (await find()).read()).chunks) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  const refusal = (asked: Promise<unknown>): Promise<HttpRefusal> =>
    asked.then(
      () => {
        throw new Error('it was answered');
      },
      (error: unknown) => error as HttpRefusal,
    );

  it.each(WAYS)('are found %s, and read as they were stored', async (_way, find) => {
    const found = await find();
    expect(found.sha256).toBe(SHA);
    expect((await found.read()).bytes).toBe(7);
    body = { bytes: 7, chunks: chunks() };
    expect(await readAll(find)).toBe('{"a":1}');
  });

  it('does not show whether a report that is not public exists', async () => {
    const none = await refusal(packages.ofPublicReport('r2'));
    report = { ...REPORT, public: false };
    const closed = await refusal(packages.ofPublicReport('r1'));
    report = { ...REPORT, public: false, withdrawn: 'erased' };
    const withdrawn = await refusal(packages.ofPublicReport('r1'));
    expect([none.status, none.message]).toEqual([404, 'there is no public report with this id']);
    for (const other of [closed, withdrawn]) expect([other.status, other.message]).toEqual([404, none.message]);
  });

  it('gives the facts alone of a PDF whose report is not public: its hash is no secret', async () => {
    report = { ...REPORT, public: false };
    expect(await packages.ofPdf(PDF)).toBe(report);
    expect((await refusal(packages.ofPdf(SHA))).status).toBe(404);
  });

  it.each(WAYS)('are 404 with the reason once they were withdrawn: %s', async (_way, find) => {
    report = { ...REPORT, withdrawn: 'an event of it was erased' };
    const refused = await refusal(find());
    expect([refused.status, refused.message]).toEqual([404, 'withdrawn: an event of it was erased']);
  });

  it.each(WAYS)('are 404 where they were withdrawn between the look and the read: %s', async (_way, find) => {
    const found = await find();
    report = { ...REPORT, withdrawn: 'an event of it was erased' };
    body = null;
    expect((await refusal(found.read())).status).toBe(404);
  });

  it.each(WAYS)('are 404 where word of their withdrawal comes after they are gone: %s', async (_way, find) => {
    const found = await find();
    body = null;
    const asked = refusal(found.read());
    await new Promise((resolve) => setTimeout(resolve, 60));
    report = { ...REPORT, withdrawn: 'an event of it was erased' };
    expect((await asked).message).toBe('withdrawn: an event of it was erased');
  });

  it.each(WAYS)('are 404 where they are removed between the look and the first byte: %s', async (_way, find) => {
    body = {
      bytes: 7,
      chunks: (async function* () {
        report = { ...REPORT, withdrawn: 'an event of it was erased' };
        throw new PackageRemoved('it was removed');
      })(),
    };
    expect(await refusal(readAll(find))).toMatchObject({
      status: 404,
      message: 'withdrawn: an event of it was erased',
    });
  });

  it.each(WAYS)('are a failure, and not unknown, where the bytes alone are missing: %s', async (_way, find) => {
    body = null;
    const found = await find();
    const failed = await refusal(found.read());
    expect(failed).not.toBeInstanceOf(HttpRefusal);
    expect(failed.message).toContain('missing');
  });
});
