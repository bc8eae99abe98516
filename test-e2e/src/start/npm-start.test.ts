import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('npm start', () => {
  it('forwards a signal to the instance, which drains and ends', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'));
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: ROOT,
      env: { ...process.env, COUNTERSIGN_DATA_DIR: join(folder, 'data'), COUNTERSIGN_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const ready = new Promise<void>((resolve) => {
      for (const stream of [npm.stdout, npm.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString('utf8');
          if (output.includes('Stop it with Ctrl-C')) resolve();
        });
      }
    });
    // Closed once no process holds its end any more, the instance included.
    const closed = new Promise<void>((resolve) => npm.on('close', () => resolve()));
    await ready;
    npm.kill('SIGTERM');
    await closed;
    expect(output).toContain('"msg":"stopping"');
    expect(output).not.toContain('"level":"error"');
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);
});
