import { createHash } from 'node:crypto';
import { countersign } from '../instance/command.js';
import { eventually, type Answer } from '../instance/request.js';
import type { Anchored } from './report-pdf.test-cases.js';

interface Share {
  readonly id: string;
  readonly url: string;
  readonly fetches: number;
  readonly revokedAt: string | null;
  readonly log: readonly { readonly address: string | null }[];
}

const ALIKE = [404, { error: 'no link is valid with this token' }];

/** Reports that are read by a link, from a running instance. */
export function sharedReportCases(given: () => Anchored): void {
  it('serves a report by a link until it is revoked, counts that, and shows the token once', async () => {
    const { instance, session: headers, agentId } = given();
    const body = {
      ...{ agentIds: [agentId], format: 'pdf', frameworks: ['soc2'] },
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    const issued = await instance.request('POST', '/v1/events/export-signed', { headers, body });
    const path = `/v1/reports/${String(issued.headers['x-report-id'])}`;
    const share = async (of: object): Promise<Share> => {
      const { status, json } = await instance.request('POST', `${path}/shares`, { headers, body: of });
      expect([status, json]).toEqual([201, expect.objectContaining({ fetches: 0, revokedAt: null, log: [] })]);
      return json as Share;
    };
    const read = ({ url }: Pick<Share, 'url'>, method = 'GET'): Promise<Answer> =>
      instance.request(method, new URL(url).pathname);

    const pdf = await share({ expiresIn: 3600, form: 'pdf', note: 'for the auditor' });
    const file = await read(pdf);
    expect(file.headers['content-type']).toBe('application/pdf');
    const packaged = await share({ expiresIn: 3600 });
    const stored = await instance.request('GET', path, { headers });
    const read1 = await read(packaged);
    expect([read1.status, sha256(read1.text)]).toEqual([200, sha256(stored.text)]);
    expect(read1.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow, noarchive',
      'referrer-policy': 'no-referrer',
    });
    // Not counted.
    const head = await read(packaged, 'HEAD');
    expect([head.status, head.text, head.headers['x-report-id']]).toEqual([200, '', issued.headers['x-report-id']]);

    const listed = await instance.request('GET', `${path}/shares`, { headers });
    const { shares } = listed.json as { shares: readonly Share[] };
    expect(shares.map(({ id, fetches, log }) => [id, fetches, log.length])).toEqual([
      [packaged.id, 1, 1],
      [pdf.id, 1, 1],
    ]);
    expect(shares[0]?.log[0]?.address).toMatch(/^(127\.0\.0\.1|::1)$/);

    expect((await instance.request('DELETE', `${path}/shares/${packaged.id}`, { headers })).status).toBe(204);
    const other = { url: `${packaged.url.slice(0, -1)}${packaged.url.endsWith('A') ? 'B' : 'A'}` };
    for (const { status, json } of [await read(packaged), await read(other), await read({ url: `${pdf.url}a` })])
      expect([status, json]).toEqual(ALIKE);
    expect((await read(pdf)).status).toBe(200);
    const id = String(issued.headers['x-report-id']);
    const acts = await eventually('who shared the report is in the trail', 30, async () => {
      const { text, json } = await instance.request('GET', '/v1/events?kind=account&limit=100', { headers });
      const { events } = json as { events: readonly { readonly type: string; readonly action: unknown }[] };
      const types = events.filter(({ action }) => JSON.stringify(action).includes(id)).map(({ type }) => type);
      return types.length < 4 ? null : { text, types };
    });
    expect(acts.types).toEqual([
      'account.report_share_revoked',
      'account.report_shared',
      'account.report_shared',
      'account.report_issued',
    ]);
    for (const { url } of [packaged, pdf]) {
      const token = url.split('/').at(-1)!;
      expect(listed.text + acts.text + instance.output).not.toContain(token);
    }
  });

  it('shares, lists and revokes on the command line', async () => {
    const { instance, session: headers } = given();
    const { baseUrl, email, password } = instance.bootstrap;
    const { json } = await instance.request('GET', '/v1/reports?limit=1', { headers });
    const { id: report } = (json as { reports: readonly [{ readonly id: string }] }).reports[0];
    const run = (...args: readonly string[]): ReturnType<typeof countersign> =>
      countersign(['reports', ...args, '--base-url', baseUrl, '--email', email], { COUNTERSIGN_PASSWORD: password });

    const made = await run('share', report, '--for', '2h', '--note', 'for Ann');
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^http.*\/v1\/shared\/[\w-]{43}\n/)]);
    const path = new URL(made.stdout.split('\n')[0]!).pathname;
    const link = /link ([0-9a-f-]{36})/.exec(made.stdout)![1]!;
    expect((await instance.request('GET', path)).status).toBe(200);
    const listed = await run('shares', report);
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringMatching(`${link}  valid .* 1 fetches, .*  for Ann`),
    ]);
    expect((await run('unshare', report, link)).code).toBe(0);
    expect((await instance.request('GET', path)).status).toBe(404);
    expect((await run('shares', report)).stdout).toContain(`${link}  revoked`);
    expect((await run('share', report)).code).toBe(64);
    expect((await run('share', report, '--until', '2020-01-01T00:00:00Z')).code).toBe(1);
  }, 60_000);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
