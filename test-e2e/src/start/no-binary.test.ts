import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countersign } from '../instance/command.js';
import { Instance } from '../instance/instance.js';

/** Like a machine for which npm has no binary of the embedded network's virtual machine. */
const HIDE = `
const Module = require('node:module');
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  if (!/(^|\\/)litesvm[-.]/.test(request)) return resolve.call(this, request, ...rest);
  throw Object.assign(new Error("Cannot find module '" + request + "'"), { code: 'MODULE_NOT_FOUND' });
};
`;

describe('without a binary of the embedded network', () => {
  let folder: string;
  let env: Record<string, string>;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-no-binary-'));
    writeFileSync(join(folder, 'hide.cjs'), HIDE);
    env = {
      COUNTERSIGN_DATA_DIR: join(folder, 'data'),
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'fatal',
      NODE_OPTIONS: `--require ${join(folder, 'hide.cjs')}`,
    };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([['start'], ['localnet']])(
    '%s ends with one line that names the missing binary and the solution',
    async (name) => {
      const { code, stdout, stderr } = await countersign([name], env);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).toContain(`${process.platform} ${process.arch}`);
      expect(stderr).toContain('npm ci --include=optional');
      expect(stderr).toContain('set SOLANA_RPC_URL');
    },
    60_000,
  );

  it('starts on the same data directory with the RPC of another network', async () => {
    const instance = await Instance.start({
      dataDir: join(folder, 'data'),
      env: { ...env, SOLANA_RPC_URL: 'http://127.0.0.1:9' },
    });
    expect((await instance.check({ type: 'tool_use' })).status).toBe(200);
    await instance.discard();
  }, 90_000);
});
