import { setTimeout } from 'node:timers/promises';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countersign } from '../instance/command.js';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';

interface Job {
  readonly id: string;
  readonly state: string;
  readonly done: number;
  readonly of: number;
  readonly reports: readonly string[];
}

interface Series {
  readonly seriesId: string;
  readonly packages: readonly { readonly reportId: string; readonly denials: readonly { readonly count: number }[] }[];
  readonly totals: { readonly packages: number; readonly events: number; readonly denied: number };
}

onEachProfile('a series of packages', (start) => {
  let instance: Instance;
  let headers: { readonly authorization: string };
  const folder = mkdtempSync(join(tmpdir(), 'countersign-series-'));
  /** Of the first and the last event: a run may begin before midnight and end after it. */
  let days: { readonly from: string; readonly to: string };
  let agents: readonly string[];

  beforeAll(async () => {
    instance = await start();
    headers = await instance.session();
    agents = [
      await newAgent(instance, headers, { blocked_apis: ['evil.example'] }),
      await newAgent(instance, headers, { blocked_apis: ['evil.example'] }),
    ];
    for (let i = 0; i < 12; i += 1) {
      const url = i % 3 === 0 ? 'https://evil.example/' : 'https://api.example.com/';
      for (const agentId of agents) await instance.check({ type: 'http_call', url }, { agentId });
    }
    const times = (await Promise.all(agents.map(timesOf))).flat().sort();
    days = { from: times[0]!.slice(0, 10), to: times.at(-1)!.slice(0, 10) };
    // An export up to today ends at the beginning of the present second.
    while (Date.now() < Date.parse(times.at(-1)!) + 1000) await setTimeout(100);
  }, 240_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await instance.discard();
  });

  const exported = (out: string, ...more: readonly string[]): ReturnType<typeof countersign> => {
    const { baseUrl, email, password } = instance.bootstrap;
    const login = ['--base-url', baseUrl, '--email', email];
    const named = agents.flatMap((id) => ['--agent', id]);
    const range = ['--from', days.from, '--to', days.to, '--events-per-package', '9'];
    return countersign(['export', ...login, ...range, ...named, '--out', out, ...more], {
      COUNTERSIGN_PASSWORD: password,
    });
  };

  it('is exported into a folder, continues after an interruption, and verifies as one', async () => {
    const out = join(folder, 'whole');
    const { code, stdout, stderr } = await exported(out);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('100 % of the time');
    const series = JSON.parse(readFileSync(join(out, 'series.json'), 'utf8')) as Series;
    expect(series.totals.packages).toBeGreaterThan(2);
    expect(series.totals.denied).toBe(8);
    expect(series.packages.flatMap(({ denials }) => denials).reduce((sum, { count }) => sum + count, 0)).toBe(8);

    const key = join(folder, 'key.pem');
    const { activeKeyId } = (await instance.request('GET', '/v1/keys')).json as { readonly activeKeyId: string };
    writeFileSync(key, (await instance.request('GET', `/v1/keys/${activeKeyId}`)).text);
    const verified = await countersign(['verify', out, '--key', key]);
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toContain('nothing lies between packages');
    expect((await exported(out)).code).toBe(64);

    // As after an interruption: the manifest and the last package are missing.
    const files = readdirSync(out).filter((name) => /^\d{4}-/.test(name));
    const progress = {
      request: {
        ...{ from: `${days.from}T00:00:00.000Z`, to: endOf(join(out, files.at(-1)!)) },
        ...{ agentIds: agents, frameworks: ['soc2', 'euaiact'] },
      },
      packages: files.slice(0, -1).map((file) => ({
        ...{ reportId: file.slice(5, -5), file },
        ...{ from: '', to: endOf(join(out, file)) },
      })),
    };
    rmSync(join(out, 'series.json'));
    rmSync(join(out, files.at(-1)!));
    writeFileSync(join(out, 'progress.json'), JSON.stringify(progress));
    const before = await reports();
    const again = await exported(out);
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.stdout).toContain(`${files.length - 1} packages are there`);
    expect((await reports()) - before).toBe(1);
    expect((await countersign(['verify', out, '--key', key])).code).toBe(0);
    rmSync(join(out, files[0]!));
    const missing = await countersign(['verify', out, '--key', key]);
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining('[series-package-missing]')]);

    const listed = (await instance.request('GET', '/v1/report-series', { headers })).json as {
      readonly series: readonly { readonly id: string; readonly reportIds: readonly string[] }[];
      readonly total: number;
    };
    expect(listed.total).toBe(2);
    const first = listed.series.find(({ id }) => id === series.seriesId)!;
    expect(first.reportIds).toEqual(series.packages.map(({ reportId }) => reportId));
    const stored = await instance.request('GET', `/v1/report-series/${first.id}`, { headers });
    expect([stored.status, stored.json]).toEqual([200, series]);

    const half = first.reportIds.filter((_, i) => i !== 1);
    const refused = await instance.request('POST', '/v1/report-series', { headers, body: { reportIds: half } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('export that range too')]);
    const stranger = { reportIds: ['0198a1b2-0000-4000-8000-00000000000f'] };
    expect((await instance.request('POST', '/v1/report-series', { headers, body: stranger })).status).toBe(404);
  }, 120_000);

  it('is made by a job in the background, whose packages join without a gap', async () => {
    const body = {
      ...{ format: 'json', frameworks: ['soc2'], agentIds: agents, title: 'Third quarter', split: true, fit: 9 },
      ...{ from: `${days.from}T00:00:00Z`, to: `${days.to}T23:59:59.999Z` },
    };
    const started = await instance.request('POST', '/v1/report-jobs', { headers, body });
    expect([started.status, started.json]).toMatchObject([202, { state: 'waiting', done: 0, reports: [] }]);
    const { id } = started.json as Job;
    const job = await eventually('the job', 120, async () => {
      const { json } = await instance.request('GET', `/v1/report-jobs/${id}`, { headers });
      return ['done', 'failed'].includes((json as Job).state) ? (json as Job) : null;
    });
    expect(job).toMatchObject({ state: 'done', error: null });
    expect(job.done).toBe(job.of);
    expect(job.reports.length).toBeGreaterThan(2);
    const joined = await instance.request('POST', '/v1/report-series', { headers, body: { reportIds: job.reports } });
    expect([joined.status, (joined.json as Series).totals.events]).toEqual([200, job.of]);
    const { json: listed } = await instance.request('GET', '/v1/reports', { headers });
    expect((listed as { reports: readonly object[] }).reports[0]).toMatchObject({
      ...{ id: job.reports.at(-1), agents: 2, title: 'Third quarter', withdrawn: null },
      issuedBy: { email: instance.bootstrap.email },
    });
    expect((await instance.request('DELETE', `/v1/report-jobs/${id}`, { headers })).status).toBe(204);
    expect((await instance.request('GET', `/v1/report-jobs/${id}`, { headers })).status).toBe(404);
    const { title: _title, ...nameless } = body;
    const failed = await instance.request('POST', '/v1/report-jobs', { headers, body: { ...nameless, title: '' } });
    expect(failed.status).toBe(400);
  }, 240_000);

  /** Of the events of an agent: it was created, its profile was changed, and 12 checks. */
  async function timesOf(agentId: string): Promise<readonly string[]> {
    return eventually('all events are listed', 30, async () => {
      const { json } = await instance.request('GET', `/v1/events?agentId=${agentId}&limit=100`, { headers });
      const { events, total } = json as { readonly events: readonly { readonly occurredAt: string }[]; total: number };
      return total === 14 ? events.map(({ occurredAt }) => occurredAt) : null;
    });
  }

  async function reports(): Promise<number> {
    return ((await instance.request('GET', '/v1/reports', { headers })).json as { readonly total: number }).total;
  }
});

function endOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly range: { readonly to: string } }).range.to;
}
