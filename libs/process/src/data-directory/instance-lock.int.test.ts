import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StoreDamaged } from '@countersign/document-store';
import { InstanceRunning, lockInstance } from './instance-lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the lock of a data directory', () => {
  const holder = { pid: process.pid, startedAt: '2026-01-01T00:00:00.000Z' };

  it('is held once, names its holder, and is free when released', () => {
    const lock = lockInstance(folder, holder);
    expect(() => lockInstance(folder, { ...holder, pid: 1 })).toThrow(InstanceRunning);
    expect(() => lockInstance(folder, { ...holder, pid: 1 })).toThrow(`process ${process.pid}, started 2026-01-01`);
    lock.release();
    lock.release();
    lockInstance(folder, holder).release();
  });

  it('names a file that is no lock, and leaves it as it is', () => {
    const file = join(folder, 'lock.db');
    writeFileSync(file, 'no database\n');
    expect(() => lockInstance(folder, holder)).toThrow(StoreDamaged);
    expect(() => lockInstance(folder, holder)).toThrow(`${file} is damaged`);
    expect(readFileSync(file, 'utf8')).toBe('no database\n');
  });

  it('goes with a process that is killed, whatever its files say', async () => {
    const module = new URL('./instance-lock.js', import.meta.url).href;
    const script = `
      const { lockInstance } = await import(${JSON.stringify(module)});
      lockInstance(${JSON.stringify(folder)}, { pid: process.pid, startedAt: 'x' });
      process.kill(process.pid, 'SIGKILL');`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env: {} });
    await expect(run).rejects.toMatchObject({ signal: 'SIGKILL' });
    expect(existsSync(join(folder, 'lock.json'))).toBe(true);
    lockInstance(folder, holder).release();
  });
});
