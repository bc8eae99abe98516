import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { targetOf } from './target-options.js';

describe('the instance that a command talks to', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-target-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('needs no bootstrap.json if every option is given', async () => {
    const options = { dataDir: folder, baseUrl: 'http://127.0.0.1:1' };
    expect(await targetOf(options, { apiKey: 'key', agentId: 'agent' })).toEqual({
      baseUrl: 'http://127.0.0.1:1',
      apiKey: 'key',
      agentId: 'agent',
    });
  });

  it('reads missing options from bootstrap.json, and names the file if there is none', async () => {
    const options = { dataDir: folder, baseUrl: 'http://127.0.0.1:1' };
    const partly = { apiKey: 'key', agentId: undefined };
    await expect(targetOf(options, partly)).rejects.toThrow(join(folder, 'bootstrap.json'));
    const known = { baseUrl: 'http://127.0.0.1:2', email: 'a@b.example', password: 'p', apiKey: 'k', agentId: 'mine' };
    writeFileSync(
      join(folder, 'bootstrap.json'),
      JSON.stringify({ ...known, accountId: 'x', mcpUrl: '', solanaRpcUrl: '' }),
    );
    expect(await targetOf({ dataDir: folder }, partly)).toEqual({
      baseUrl: 'http://127.0.0.1:2',
      apiKey: 'key',
      agentId: 'mine',
    });
  });
});
