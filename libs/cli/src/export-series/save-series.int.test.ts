import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saveSeries } from './save-series.js';

const DAY = (n: number): string => new Date(Date.UTC(2027, 0, n)).toISOString();

const reportId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A refusal in place of an answer: status, and headers. */
type Refusal = readonly [number, Readonly<Record<string, string>>];

describe('a series that is saved into a folder', () => {
  let server: Server;
  let folder: string;
  let exported: { readonly from: string; readonly to: string }[];
  let joined: number;
  /** Packages break off. */
  let isCut = false;
  let refusalText = '{"error":"no room"}';
  /** Report id that is answered in place of one. */
  let forgedId: string | null = null;
  /** Refusal of the next request of each route. */
  let refusals: Readonly<Record<string, Refusal[]>>;

  beforeAll(async () => {
    // Issues packages of one day each.
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const path = request.url!;
        const body = JSON.parse(Buffer.concat(parts).toString()) as (typeof exported)[0];
        const refusal = refusals[path]?.shift();
        if (refusal !== undefined) return response.writeHead(...refusal).end(refusalText);
        if (path === '/v1/auth/login') return response.end('{"token":"session"}');
        if (path === '/v1/report-series') {
          joined += 1;
          return response.setHeader('x-series-id', 's').end('{"totals":{"packages":1,"events":2,"denied":0}}');
        }
        if (isCut) {
          response.writeHead(200, { 'x-report-id': reportId(0), 'x-range-to': body.to, 'content-length': '100' });
          return response.write('{', () => request.socket.destroy());
        }
        exported.push({ from: body.from, to: body.to });
        const end = new Date(Math.min(Date.parse(body.to), Date.parse(body.from) + 86_400_000)).toISOString();
        return response
          .setHeader('x-report-id', forgedId ?? reportId(exported.length))
          .setHeader('x-range-to', end)
          .end(JSON.stringify({ from: body.from, to: end }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-save-series-'));
    [exported, joined, refusals] = [[], 0, {}];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Returns what is said. */
  async function save(to: string, more: { readonly from?: string } = {}): Promise<string> {
    const said: string[] = [];
    await saveSeries({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ...{ email: 'a@b.example', password: 'p', folder, from: DAY(1), to, agentIds: [], frameworks: ['soc2'] },
      ...more,
      eventsPerPackage: 10,
      say: (line) => said.push(line),
    });
    return said.join('\n');
  }

  const broken = (count: number): Refusal[] => Array.from({ length: count }, () => [500, {}] as const);

  it('continues up to the end of the run that repeats it, and says so', async () => {
    refusals = { '/v1/report-series': broken(1) };
    await expect(save(DAY(3))).rejects.toMatchObject({ exitCode: 1 });
    expect(exported.map(({ from }) => from)).toEqual([DAY(1), DAY(2)]);

    const said = await save(DAY(5));
    expect(said).toContain(`${DAY(1)} to ${DAY(5)}, UTC`);
    expect(said).toContain(`an earlier run was to end at ${DAY(3)}: it continues up to ${DAY(5)}`);
    expect(exported.slice(2)).toEqual([
      { from: DAY(3), to: DAY(5) },
      { from: DAY(4), to: DAY(5) },
    ]);
    const files = readdirSync(folder).filter((name) => name.startsWith('0'));
    expect(
      files.map(
        (name) =>
          (
            JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
              to: string;
            }
          ).to,
      ),
    ).toEqual([...[DAY(2), DAY(3), DAY(4), DAY(5)]]);
    expect([joined, existsSync(join(folder, 'progress.json'))]).toEqual([1, false]);
  });

  it('continues in the middle of a package with the later end, also after a second interruption', async () => {
    refusals = { '/v1/report-series': broken(1) };
    const noon = '2027-01-02T12:00:00.000Z';
    await expect(save(noon)).rejects.toMatchObject({ exitCode: 1 });
    refusals = { '/v1/report-series': broken(1) };
    await expect(save(DAY(3))).rejects.toMatchObject({ exitCode: 1 });
    expect(exported.at(-1)).toEqual({ from: noon, to: DAY(3) });
    await expect(save(noon)).rejects.toMatchObject({ exitCode: 64 });
    expect(await save(DAY(3))).not.toContain('an earlier run');
    expect([exported.length, joined]).toEqual([3, 1]);
  });

  it('sends again what is refused for now, and says so', async () => {
    const busy = [503, { 'retry-after': '0' }] as const;
    refusals = { '/v1/events/export-signed': [busy, busy], '/v1/report-series': [busy, busy, busy, busy] };
    const said = await save(DAY(2));
    expect(said).toContain('the service is busy: attempt 2 of 5 in 0 s');
    expect(said).toContain('the service is busy: attempt 5 of 5 in 0 s');
    expect([exported.length, joined]).toEqual([1, 1]);
  });

  it.each(['/v1/events/export-signed', '/v1/report-series'])(
    'ends with 1 and says how to continue where %s stays refused',
    async (path) => {
      const busy = [503, { 'retry-after': '0' }] as const;
      refusals = { [path]: Array.from({ length: 5 }, () => busy) };
      const from = path === '/v1/report-series' ? DAY(2) : DAY(1);
      await expect(save(DAY(2))).rejects.toMatchObject({
        exitCode: 1,
        message: expect.stringMatching(`refused: 503 .*no room.*: repeat the command: it continues from ${from}$`),
      });
      expect(refusals[path]).toEqual([]);
      await save(DAY(2));
      expect([exported.length, joined]).toEqual([1, 1]);
    },
  );

  it('leaves no package that broke off, and continues with it', async () => {
    isCut = true;
    await expect(save(DAY(2))).rejects.toMatchObject({
      message: `the export broke off: repeat the command: it continues from ${DAY(1)}`,
    });
    expect(readdirSync(folder)).toEqual([]);
    isCut = false;
    await save(DAY(2));
    expect(joined).toBe(1);
  });

  it('sends nothing again that is refused for good', async () => {
    refusals = { '/v1/events/export-signed': [[503, {}]] };
    await expect(save(DAY(2))).rejects.toMatchObject({ message: expect.stringMatching(/refused: 503 .*no room"}$/) });
    expect(exported).toEqual([]);
  });

  it('is not continued once it is complete, nor as another range', async () => {
    await save(DAY(2));
    await expect(save(DAY(3))).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringContaining('a series'),
    });
    rmSync(join(folder, 'series.json'));
    refusals = { '/v1/report-series': broken(1) };
    await expect(save(DAY(3))).rejects.toMatchObject({ exitCode: 1 });
    await expect(save(DAY(3), { from: DAY(2) })).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringContaining(`${DAY(1)} to ${DAY(3)}`),
    });
  });

  it('writes nothing outside of its folder, whatever the server calls a report', async () => {
    forgedId = '/../../outside';
    await expect(save(DAY(2))).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('nothing was saved') as unknown,
    });
    expect([readdirSync(folder), existsSync(join(folder, '..', 'outside.json'))]).toEqual([[], false]);
    forgedId = null;
  });

  it('shows what the server writes as text', async () => {
    refusals = { '/v1/events/export-signed': [[400, { 'x-note': 'n' }]] };
    refusalText = '\u001b]52;c;Y29weQ==\u0007';
    const error = await save(DAY(2)).then(
      () => null,
      (thrown: unknown) => (thrown as Error).message,
    );
    expect(error).toContain('\\u001b]52;c;');
    expect(error).not.toContain('\u001b');
    refusalText = '{"error":"no room"}';
  });
});
