import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runtimesFolder } from '#infra/installed.js';
import { casesOf, OF_THE_SERVER } from './client-case.js';
import { FaultServer } from './fault-server.js';
import { PLACE } from './happened-here.js';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('happened-here.js', import.meta.url));
const bin = runtimesFolder();
/** The oldest Node that the client supports, and Node-like runtimes. */
const RUNTIMES = [
  ['Node 18', 'node', []],
  ['Deno', 'deno', ['run', '--allow-all', '--no-prompt']],
  ['Bun', 'bun', ['run']],
] as const;

const cases = casesOf('faults.json');
const expected = cases.map(({ name, expect: { ...members } }) => [
  name,
  Object.fromEntries(Object.entries(members).filter(([member]) => !OF_THE_SERVER.has(member))),
]);

const inRuntimes = bin === null ? describe.skip : describe;
const needs = bin === null ? ' (needs `npm run infra -- install`)' : '';

inRuntimes(`the JavaScript client passes the cases of every client on other platforms${needs}`, () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'countersign-runtimes-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(RUNTIMES)(
    '%s',
    async (platform, command, args) => {
      const servers = await Promise.all(cases.map(({ answers }) => FaultServer.start(answers ?? [])));
      try {
        const file = join(folder, `${command}.json`);
        writeFileSync(file, JSON.stringify(cases.map((one, n) => ({ one, address: servers[n]!.address }))));
        const env = { PATH: process.env['PATH'], HOME: folder, DENO_DIR: folder, DENO_NO_UPDATE_CHECK: '1' };
        const { stdout } = await run(join(bin!, command), [...args, PROGRAM, file], { env, timeout: 100_000 });
        const { results, ...where } = JSON.parse(stdout) as { platform: string; results: object[] };
        expect(where).toEqual({ platform });
        expect(results.map((one, n) => [cases[n]!.name, one])).toEqual(expected);
        expect(
          servers.flatMap(({ seen }) => seen).every(({ headers }) => headers['x-service-key'] === PLACE.apiKey),
        ).toBe(true);
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    },
    120_000,
  );
});
