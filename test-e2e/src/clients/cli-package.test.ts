import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOUSE = fileURLToPath(new URL('../../../', import.meta.url));
const README = readFileSync(join(HOUSE, 'libs/cli/README.md'), 'utf8');
/** The commands that pack and install it, without their comments. */
const [, INSTALLATION = ''] =
  /^```sh\n(node \/path\/to\/countersign\/libs\/cli\/package\.mjs[^]*?)^```$/mu.exec(README) ?? [];

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the command line, packed and installed into an empty folder as its README says', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
    const env = { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    const commands = INSTALLATION.replaceAll('/path/to/countersign/', HOUSE);
    execFileSync('sh', ['-ec', commands], { cwd: folder, env, stdio: 'pipe' });
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const countersign = (args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): Ended =>
    spawnSync(join(folder, 'node_modules/.bin/countersign'), args, {
      cwd: folder,
      encoding: 'utf8',
      input,
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
      timeout: 60_000,
    });

  it('is small, and brings nothing else', () => {
    const bytesIn = (path: string): number =>
      readdirSync(path, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const installed = join(folder, 'node_modules/@countersign/cli');
    const sizes = { packed: statSync(join(folder, packed)).size, installed: bytesIn(installed) };
    console.info(`@countersign/cli: ${JSON.stringify(sizes)} bytes`);
    expect(sizes.packed).toBeLessThan(1_500_000);
    expect(sizes.installed).toBeLessThan(6_500_000);
    const names = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect([names, readdirSync(join(folder, 'node_modules/@countersign'))]).toEqual([['@countersign'], ['cli']]);
    const licenses = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(licenses).toMatch(/^commander \d.*: MIT$/mu);
    expect(licenses.split(/^-{80}$/mu).filter((text) => text.trim().split('\n').length < 2)).toEqual([]);
  });

  it('has its version, and each of its commands', () => {
    const { version } = JSON.parse(readFileSync(join(HOUSE, 'libs/cli/package.json'), 'utf8')) as { version: string };
    expect(countersign(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
    const { stdout } = countersign(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) /gmu)].map(([, name = '']) => name);
    expect(commands).toEqual([
      ...[
        'replay',
        'hook',
        'mcp-proxy',
        'policy',
        'approvals',
        'export',
        'reports',
        'erase',
        'holds',
        'alerts',
        'verify',
        'sample',
        'help',
      ],
    ]);
    for (const command of commands.slice(0, -1)) {
      expect([command, countersign([command, '--help']).status]).toEqual([command, 0]);
    }
    expect(countersign(['start']).status).toBe(64);
  }, 60_000);

  it('verifies a package, computes its verdicts again, and refuses one with a changed character', () => {
    const vector = JSON.parse(readFileSync(join(HOUSE, 'libs/evidence/vectors/v2-valid.json'), 'utf8')) as {
      readonly package: object;
    };
    const text = JSON.stringify(vector.package);
    writeFileSync(join(folder, 'report.json'), text);
    const verified = countersign(['verify', 'report.json']);
    expect(verified).toMatchObject({ status: 2, stderr: '' });
    expect(verified.stdout).toMatch(/INTACT, but not everything was checked/u);
    expect(countersign(['verify', 'report.json', '--redecide']).stdout).toMatch(/Decided again/u);
    writeFileSync(join(folder, 'changed.json'), text.replace('"outcome":"allowed"', '"outcome":"denied"'));
    expect(countersign(['verify', 'changed.json']).status).toBe(1);
  });

  it('tests policies with every kind of rule, that of SQL included', () => {
    cpSync(join(HOUSE, 'services/policy/samples'), join(folder, 'samples'), { recursive: true });
    const files = readdirSync(join(folder, 'samples')).filter((name) => name.endsWith('.yaml'));
    expect(files).toContain('read-only-sql.yaml');
    const { status, stdout, stderr } = countersign(['policy', 'test', 'samples']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`in ${files.length} files: `);
  });

  it('denies as a hook while the service is unavailable', () => {
    const service = { COUNTERSIGN_API_KEY: 'csn_live_x', COUNTERSIGN_BASE_URL: 'http://127.0.0.1:9' };
    const agent = { COUNTERSIGN_AGENT_ID: '01890a5d-ac96-774b-bcce-b302099a8057' };
    const { status, stderr } = countersign(['hook'], '{"type":"wire"}', { ...service, ...agent });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/\S/u)]);
    expect(countersign(['hook', 'nonsense'], '{}').status).toBe(2);
  });
});
