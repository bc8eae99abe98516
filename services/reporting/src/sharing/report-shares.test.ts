import { createHash, randomUUID } from 'node:crypto';
import { CountersUnavailable } from '@countersign/counters';
import { canonicalBytes } from '@countersign/evidence';
import { accountStream, type SignedPackage } from '@countersign/contracts';
import type { Act } from '@countersign/topics';
import { goldenPackage } from '../issue-report/golden-packages.test-kit.js';
import type { StoredReport } from '../store/port.js';
import { openedKinds } from './opened-kinds.js';
import { hashOfToken, newToken, type ReportShare } from './report-share.js';
import { NOT_VALID, ReportShares } from './report-shares.js';

const NOW = Date.parse('2026-03-02T12:00:00.000Z');
const ID = '0198a1b2-0000-4000-8000-000000000001';
const ADMIN = { accountId: 'a', userId: 'u', email: 'ana@example.com', role: 'admin' } as const;
const INTACT = 'ab'.repeat(32);

describe('links to reports', () => {
  let pkg: SignedPackage;
  let body: Uint8Array;
  let bodies: Map<string, Buffer>;
  let report: StoredReport;
  let kept: ReportShare[];
  let logged: unknown[];
  let acts: Act[];
  let shares: ReportShares;
  let counted: number;
  let now: () => Promise<number>;
  beforeAll(async () => {
    pkg = await goldenPackage(['soc2']);
    body = canonicalBytes(pkg);
  });
  beforeEach(() => {
    report = {
      ...{
        id: ID,
        version: 1,
        agentIds: ['agent'],
        from: '',
        to: '',
        opens: [{ agentId: 'agent', first: 1, last: 2 }],
      },
      facts: {
        ...{ accountId: 'a', createdAt: '2026-03-02T12:00:00.000Z', format: 'json', frameworks: ['soc2'] },
        ...{ public: false, sha256: INTACT, contentHash: INTACT, signature: 's', keyId: 'k', pdfSha256: null },
        withdrawn: null,
      },
    };
    bodies = new Map([[INTACT, Buffer.from(body)]]);
    kept = [];
    logged = [];
    acts = [];
    counted = 0;
    now = async () => NOW;
    const store = {
      report: async (accountId: string, id: string) => (id === ID && accountId === 'a' ? report : null),
      anyReport: async () => report,
      addShare: async (share: ReportShare) => (kept.push(share) > 2 ? 'full' : 'added'),
      findShare: async (tokenSha256: string) => {
        const share = kept.find((one) => one.tokenSha256 === tokenSha256);
        return share === undefined ? null : { share, report };
      },
      fetchShare: async (tokenSha256: string) => {
        const share = kept.find((one) => one.tokenSha256 === tokenSha256);
        if (share === undefined) return null;
        counted += 1;
        return { share, report };
      },
      shares: async () => ({ shares: kept, total: kept.length }),
      revokeShare: async () => true,
    };
    const blobs = { get: async (name: string) => bodies.get(name) ?? null };
    shares = new ReportShares(
      {
        ...{ store, blobs, publicUrl: () => 'https://countersign.example', now: () => now() },
        ...{ recorded: async (act: Act) => (acts.push(act), []), flush: () => Promise.reject(new Error('no log')) },
      } as never,
      { info: (...args: unknown[]) => void logged.push(args) } as never,
    );
  });

  it('have a token of 256 bits, of which only the hash is kept, and which is in no log', async () => {
    const { url, ...made } = await shares.create(ADMIN, ID, { expiresIn: 60 });
    const token = url.replace('https://countersign.example/v1/shared/', '');
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(newToken()).not.toBe(newToken());
    expect(kept[0]?.tokenSha256).toBe(createHash('sha256').update(token).digest('hex'));
    expect(made).toMatchObject({ expiresAt: '2026-03-02T12:01:00.000Z', fetches: 0, lastFetchAt: null, log: [] });
    expect((await shares.read(token, '192.0.2.7')).bytes).toEqual(Buffer.from(body));
    expect(logged).toHaveLength(1);
    expect(JSON.stringify([kept, made, logged, acts])).not.toContain(token);
    expect(JSON.stringify(acts)).not.toContain(hashOfToken(token));
    expect(JSON.stringify(made)).not.toContain(hashOfToken(token));
  });

  it('are made and revoked as events of the account that name who, also while the log takes none', async () => {
    const { id } = await shares.create(ADMIN, ID, { expiresIn: 60, form: 'package', note: 'for the auditor' });
    await shares.revoke(ADMIN, ID, id);
    const by = { kind: 'user', id: ADMIN.userId };
    expect(acts).toMatchObject([
      {
        ...{ accountId: 'a', type: 'account.report_shared', by },
        content: { report: { id: ID }, share: { id, form: 'package' }, note: 'for the auditor' },
      },
      { accountId: 'a', type: 'account.report_share_revoked', by, content: { report: { id: ID }, share: { id } } },
    ]);
  });

  it('end at one time that is named, in the future and within 366 days', async () => {
    const refused = (of: object): Promise<unknown> =>
      shares.create(ADMIN, ID, of).then(
        () => null,
        ({ status }: { status: number }) => status,
      );
    expect(await refused({})).toBe(400);
    expect(await refused({ expiresIn: 60, expiresAt: '2026-03-03T00:00:00Z' })).toBe(400);
    expect(await refused({ expiresAt: '2026-03-02T12:00:00Z' })).toBe(400);
    expect(await refused({ expiresAt: '2026-13-45T12:00:00Z' })).toBe(400);
    expect(await refused({ expiresAt: '2027-03-04T12:00:00Z' })).toBe(400);
    expect((await shares.create(ADMIN, ID, { expiresAt: '2026-03-03T01:00:00+01:00' })).expiresAt).toBe(
      '2026-03-03T00:00:00.000Z',
    );
  });

  it('are not made to another account’s report, a withdrawn one, a PDF that there is not, or beyond their number', async () => {
    const ends = { expiresIn: 60 };
    await expect(shares.create({ ...ADMIN, accountId: 'b' }, ID, ends)).rejects.toMatchObject({ status: 404 });
    await expect(shares.create(ADMIN, ID, { ...ends, form: 'pdf' })).rejects.toMatchObject({ status: 404 });
    await shares.create(ADMIN, ID, ends);
    await shares.create(ADMIN, ID, ends);
    await expect(shares.create(ADMIN, ID, ends)).rejects.toMatchObject({ status: 409 });
    report = { ...report, facts: { ...report.facts, withdrawn: 'erased' } };
    await expect(shares.create(ADMIN, ID, ends)).rejects.toMatchObject({ status: 404 });
  });

  it('are not made by a member to a report that opens the trail', async () => {
    const by = (role: 'auditor' | 'member' | 'admin'): Promise<unknown> =>
      shares.create({ ...ADMIN, role }, ID, { expiresIn: 60 });
    await expect(by('member')).resolves.toMatchObject({ reportId: ID });
    report = { ...report, opens: [{ agentId: accountStream(randomUUID()), first: 1, last: 1 }] };
    await expect(by('member')).rejects.toMatchObject({ status: 403 });
    await expect(by('auditor')).resolves.toMatchObject({ reportId: ID });
  });

  it('are refused where the report opens what is to be withheld, in a sentence that says what to do', async () => {
    const opened = openedKinds(body);
    const open = [...opened];
    expect(open.length).toBeGreaterThan(0);
    const ends = { expiresIn: 60 };
    await expect(shares.create(ADMIN, ID, { ...ends, withhold: [open[0]!] })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(`export its range with "withhold":["${open[0]}"]`),
    });
    const bare = { ...pkg, events: pkg.events.map((event) => ({ ...event, opened: {} })) };
    bodies.set(INTACT, Buffer.from(canonicalBytes(bare)));
    expect([...openedKinds(bodies.get(INTACT)!)]).toEqual([]);
    await expect(shares.create(ADMIN, ID, { ...ends, withhold: [open[0]!] })).resolves.toMatchObject({ reportId: ID });
  });

  it('answer every token by which nothing is read alike', async () => {
    const alike = { status: 404, message: NOT_VALID };
    await expect(shares.read('none', '192.0.2.7')).rejects.toMatchObject(alike);
    await expect(shares.read('%', '')).rejects.toMatchObject(alike);
    const { url } = await shares.create(ADMIN, ID, { expiresIn: 60 });
    const token = url.split('/').at(-1)!;
    // Withdrawn while it was read.
    bodies.clear();
    report = { ...report, facts: { ...report.facts, withdrawn: 'erased' } };
    await expect(shares.read(token, '192.0.2.7')).rejects.toMatchObject(alike);
    report = { ...report, facts: { ...report.facts, withdrawn: null } };
    await expect(shares.read(token, '192.0.2.7')).rejects.toThrow('is missing');
    // Revoked while it was read.
    bodies.set(INTACT, Buffer.from(body));
    const read = bodies.get.bind(bodies);
    bodies.get = (name) => {
      kept = [];
      return read(name);
    };
    await expect(shares.read(token, '192.0.2.7')).rejects.toMatchObject(alike);
    expect([counted, logged]).toEqual([0, []]);
  });

  it('count a fetch that has the report, and no look at what there is', async () => {
    const { url } = await shares.create(ADMIN, ID, { expiresIn: 60 });
    const token = url.split('/').at(-1)!;
    expect([await shares.look(token), counted]).toEqual([{ reportId: ID, form: 'package' }, 0]);
    await shares.read(token, '192.0.2.7');
    expect(counted).toBe(1);
    now = async () => NOW + 60_000;
    await expect(shares.look(token)).rejects.toMatchObject({ status: 404, message: NOT_VALID });
    await expect(shares.read(token, '192.0.2.7')).rejects.toMatchObject({ status: 404, message: NOT_VALID });
    expect(counted).toBe(1);
  });

  it('are to be tried again while the time of the instance cannot be asked, and an unknown token is answered', async () => {
    const { url, id } = await shares.create(ADMIN, ID, { expiresIn: 60 });
    now = async () => {
      throw new CountersUnavailable('Redis is away');
    };
    const later = { status: 503, headers: { 'Retry-After': '1' } };
    await expect(shares.create(ADMIN, ID, { expiresIn: 60 })).rejects.toMatchObject(later);
    await expect(shares.revoke(ADMIN, ID, id)).rejects.toMatchObject(later);
    await expect(shares.read(url.split('/').at(-1)!, '192.0.2.7')).rejects.toMatchObject(later);
    await expect(shares.look(url.split('/').at(-1)!)).rejects.toMatchObject(later);
    await expect(shares.read('none', '192.0.2.7')).rejects.toMatchObject({ status: 404, message: NOT_VALID });
    expect(counted).toBe(0);
  });

  it('are listed as those of a withdrawn report once it is', async () => {
    const withdrawn = async (): Promise<unknown> => {
      const list = (await shares.list(ADMIN, ID, 9, 0)) as { readonly shares: readonly object[] };
      return list.shares;
    };
    await shares.create(ADMIN, ID, { expiresIn: 60 });
    expect(await withdrawn()).toEqual([expect.objectContaining({ withdrawn: false })]);
    report = { ...report, facts: { ...report.facts, withdrawn: 'erased' } };
    expect(await withdrawn()).toEqual([expect.objectContaining({ withdrawn: true })]);
  });
});
