import { dirname, join } from 'node:path';
import { countersign } from '../instance/command.js';
import { embeddedInstallation, newDataDir } from '../instance/installation.js';
import { Instance } from '../instance/instance.js';
import { startLocalnet, type LocalnetProcess } from '../instance/localnet-process.js';
import { allAnchored } from '../reliability/anchors.js';
import { authorityOf, memosOf } from './reports.js';

describe('a drill of a backup whose chain is outside it', () => {
  const dataDir = newDataDir();
  const folder = dirname(dataDir);
  let network: LocalnetProcess;
  let instance: Instance;
  beforeAll(async () => {
    network = await startLocalnet(join(folder, 'network'));
    const installation = embeddedInstallation(dataDir);
    const env = { ...installation.env, SOLANA_RPC_URL: network.rpcUrl };
    instance = await Instance.startOn({ ...installation, env });
  }, 90_000);
  afterAll(async () => {
    await network.end();
    await instance.discard();
  });

  it('submits nothing to it, although events wait to be anchored', async () => {
    const session = await instance.session();
    expect((await instance.check({ type: 'anchored' })).status).toBe(200);
    await allAnchored(instance, session, 60);
    const authority = await authorityOf(instance);
    expect((await instance.check({ type: 'waits' })).status).toBe(200);
    await instance.kill();
    const backup = join(folder, 'backup');
    const taken = await instance.command('admin', 'backup', backup, '--json');
    expect([taken.code, taken.stderr]).toEqual([0, '']);

    const before = await memosOf(network.rpcUrl, authority);
    expect(before.length).toBeGreaterThan(0);
    const { code, stdout, stderr } = await countersign(['admin', 'restore-drill', backup], {
      SOLANA_RPC_URL: network.rpcUrl,
      COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /Verified with it: a proof in the window .*; its chain is outside the backup and was not asked\./u,
    );
    expect(await memosOf(network.rpcUrl, authority)).toEqual(before);
  }, 180_000);
});
