import type { ServerName } from '../installed.js';
import { mode, startServers, VARIABLES, type Servers } from '../servers.js';
import { needsOf, testFiles } from './needs.js';

let servers: Servers | null = null;

/**
 * Starts, once before all tests, the servers required by the selected test files, and sets their addresses in
 * `COUNTERSIGN_TEST_…`; `COUNTERSIGN_TEST_SERVERS` says that they end with the tests. Starts nothing if such a variable is already set, or no such file is selected.
 * @throws Error if `COUNTERSIGN_TEST_INFRA=required` and a server is missing, or if one does not start.
 */
export async function setUp(root: string, isToBeRun: (path: string) => boolean): Promise<void> {
  const how = mode();
  const asking = testFiles(root)
    .filter(isToBeRun)
    .map((path) => needsOf(path))
    .filter(({ shared, own }) => shared.size > 0 || own);
  if (asking.length === 0) return;
  const names = [...new Set(asking.flatMap(({ shared }) => [...shared]))];
  if (isGiven(names)) return;

  const start = Date.now();
  const result = await startServers(names, how);
  if (result.kind === 'none') {
    say(`NOTHING IS TESTED AGAINST REAL SERVERS: ${asking.length} test files skip what needs them (${result.reason})`);
    return;
  }
  servers = result;
  process.env['COUNTERSIGN_TEST_SERVERS'] = 'started';
  for (const [name, address] of Object.entries(servers.addresses)) process.env[VARIABLES[name as ServerName]] = address;
  const where = Object.entries(servers.addresses).map(([name, address]) => `${name} ${address}`);
  servers.keep(say);
  if (where.length > 0) say(`started as ${servers.kind} in ${Date.now() - start} ms: ${where.join(', ')}`);
}

export async function tearDown(): Promise<void> {
  await servers?.stop();
  servers = null;
}

/** If one server is given, all must be. */
function isGiven(names: readonly ServerName[]): boolean {
  const given = (name: ServerName): boolean => (process.env[VARIABLES[name]] ?? '') !== '';
  if (!Object.keys(VARIABLES).some((name) => given(name as ServerName))) return false;
  const missing = names.filter((name) => !given(name)).map((name) => VARIABLES[name]);
  if (missing.length > 0 && mode() === 'required') {
    throw new Error(`COUNTERSIGN_TEST_INFRA=required, some servers are named, but not ${missing.join(', ')}`);
  }
  return true;
}

function say(line: string): void {
  process.stderr.write(`\n${line}\n\n`);
}
