import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countersign } from '../instance/command.js';

describe('a start that is refused', () => {
  let dataDir: string;
  let taken: Server;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-refusals-'));
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    taken.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** The command's error message; it ends with 1 and prints nothing else. */
  async function refusal(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await countersign([...args], {
      COUNTERSIGN_DATA_DIR: dataDir,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'silent',
      ...environment,
    });
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
    return stderr.trim();
  }

  it('names the variable of the embedded network whose port is taken', async () => {
    const { port } = taken.address() as AddressInfo;
    expect(await refusal(['start'], { COUNTERSIGN_LOCALNET_PORT: String(port) })).toBe(
      `countersign cannot start: port ${port} or ${port + 1} cannot be opened: ` +
        'set COUNTERSIGN_LOCALNET_PORT to the first of two free ones',
    );
  }, 60_000);

  it('says which profile can start services alone', async () => {
    expect(await refusal(['start', 'gateway'])).toBe(
      'countersign cannot start: gateway: services run alone with COUNTERSIGN_PROFILE=distributed; ' +
        'without names all of them start',
    );
  }, 60_000);

  it('says where the first account of the embedded profile is', async () => {
    expect(await refusal(['admin', 'bootstrap'])).toMatch(/^refused: .*see bootstrap\.json in the data directory/u);
  }, 60_000);

  it('names a data directory that cannot be created, at once', async () => {
    expect(await refusal(['start'], { COUNTERSIGN_DATA_DIR: '/proc/countersign' })).toMatch(
      /\/proc\/countersign cannot be used as data directory \(ENOENT.*: set COUNTERSIGN_DATA_DIR/u,
    );
  }, 60_000);

  it('names an invalid lock', async () => {
    const file = join(dataDir, 'lock.db');
    writeFileSync(file, 'no database\n');
    expect(await refusal(['start'])).toContain(`${file} is damaged`);
  }, 60_000);
});
