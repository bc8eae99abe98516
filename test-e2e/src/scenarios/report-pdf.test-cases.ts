import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { countersign } from '../instance/command.js';
import type { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';

/** An instance with an agent whose events are anchored, and the input of a verifier. */
export interface Anchored {
  readonly instance: Instance;
  readonly session: { readonly authorization: string };
  readonly agentId: string;
  readonly keyFile: string;
  readonly authority: string;
  readonly folder: string;
}

/** The only attachment of our PDFs, found by ISO 32000 alone. */
function attachmentOf(pdf: Buffer): string {
  const text = pdf.toString('latin1');
  const at = text.indexOf('/Type /EmbeddedFile');
  const begin = text.indexOf('stream\n', at) + 'stream\n'.length;
  const length = Number(/\/Length (\d+)/.exec(text.slice(at, begin))![1]);
  return inflateSync(pdf.subarray(begin, begin + length)).toString('utf8');
}

/** Reports as PDF, from a running instance. */
export function reportPdfCases(given: () => Anchored): void {
  const download = async (path: string, init: RequestInit): Promise<{ answer: Response; bytes: Buffer }> => {
    const answer = await fetch(new URL(path, given().instance.bootstrap.baseUrl), init);
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  it('issues a PDF that contains its package, is stored unchanged, and is found by its hash without an account', async () => {
    const { instance, session, agentId, keyFile, authority, folder } = given();
    const newest = await instance.request('GET', `/v1/events?agentId=${agentId}&limit=1`, { headers: session });
    const { events } = newest.json as { events: readonly [{ readonly occurredAt: string }] };
    // Before the sign-ins of the tests above: a package of one agent leaves their windows open.
    const end = Math.floor(Date.parse(events[0].occurredAt) / 1000) * 1000 + 1000;
    const { answer, bytes: pdf } = await download('/v1/events/export-signed', {
      method: 'POST',
      headers: { ...session, 'content-type': 'application/json' },
      body: JSON.stringify({
        agentIds: [agentId],
        format: 'pdf',
        frameworks: ['sr26-2', 'soc2'],
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(end).toISOString(),
      }),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(pdf.toString('latin1', 0, 8)).toBe('%PDF-1.7');
    const sha256 = createHash('sha256').update(pdf).digest('hex');
    const id = answer.headers.get('x-report-id')!;
    expect(answer.headers.get('x-pdf-sha256')).toBe(sha256);

    const again = await download(`/v1/reports/${id}`, { headers: { ...session, accept: 'application/pdf' } });
    expect([again.answer.status, again.answer.headers.get('x-pdf-sha256')]).toEqual([200, sha256]);
    expect(again.bytes.equals(pdf)).toBe(true);
    const json = (await instance.request('GET', `/v1/reports/${id}`, { headers: session })).text;
    expect(attachmentOf(pdf)).toBe(json);
    const { json: page } = await instance.request('GET', '/v1/reports', { headers: session });
    expect((page as { reports: unknown[] }).reports[0]).toMatchObject({ id, format: 'pdf', pdfSha256: sha256 });

    const found = await eventually('the hash of the file is known to the public', 30, async () => {
      const answered = await instance.request('GET', `/v1/reports/by-pdf-sha256/${sha256}`);
      return answered.status === 404 ? null : answered;
    });
    const {
      sha256: packageSha256,
      publicKeyUrl,
      timestamp,
    } = JSON.parse(json) as {
      readonly sha256: string;
      readonly publicKeyUrl: string;
      readonly timestamp: { readonly issued_at: string };
    };
    const issued = { issued: true, public: false, pdfSha256: sha256, sha256: packageSha256, publicKeyUrl };
    expect([found.status, found.json]).toEqual([200, { ...issued, issued_at: timestamp.issued_at }]);
    expect(found.headers['cache-control']).toContain('public');
    await instance.request('PATCH', `/v1/reports/${id}`, { headers: session, body: { public: true } });
    const whole = await eventually('its package is public', 30, async () => {
      const answered = await instance.request('GET', `/v1/reports/by-pdf-sha256/${sha256}`);
      return answered.text === found.text ? null : answered;
    });
    expect([whole.status, whole.text]).toEqual([200, json]);

    const file = join(folder, 'report.pdf');
    writeFileSync(file, pdf);
    const chain = ['--rpc', instance.bootstrap.solanaRpcUrl, '--authority', authority];
    const verified = await countersign(['verify', file, '--key', keyFile, ...chain]);
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toContain('every byte of the PDF, its pages with them: signed by key_');
    const link = pdf.indexOf('/URI (http') + '/URI ('.length;
    writeFileSync(file, Buffer.concat([pdf.subarray(0, link), Buffer.from('HTTP'), pdf.subarray(link + 4)]));
    const changed = await countersign(['verify', file, '--key', keyFile, ...chain]);
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining('not those that were issued')]);
  }, 90_000);

  it('answers for a report without a PDF, and for invalid or unknown hashes, with the reason', async () => {
    const { instance, session, agentId } = given();
    const exported = await instance.request('POST', '/v1/events/export-signed', {
      headers: session,
      body: {
        agentIds: [agentId],
        format: 'json',
        frameworks: ['nydfs'],
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    const without = await instance.request('GET', `/v1/reports/${String(exported.headers['x-report-id'])}`, {
      headers: { ...session, accept: 'application/pdf' },
    });
    expect([without.status, without.json]).toEqual([404, { error: 'this report has no PDF: it was issued as json' }]);
    const { sha256 } = exported.json as { sha256: string };
    for (const [hash, status] of [
      [sha256, 404],
      ['0'.repeat(64), 404],
      ['A'.repeat(64), 400],
      ['0'.repeat(63), 400],
    ] as const) {
      expect((await instance.request('GET', `/v1/reports/by-pdf-sha256/${hash}`)).status).toBe(status);
    }
  });
}
