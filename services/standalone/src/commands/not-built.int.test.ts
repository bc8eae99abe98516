import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));

describe('the command in a clone that was not built', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-not-built-'));
    cpSync(bin, join(folder, 'bin'), { recursive: true });
    cpSync(join(bin, '..', 'package.json'), join(folder, 'package.json'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([['start'], ['verify'], ['fsck']])('says what to run, and %s ends without a verdict', (command) => {
    const program = join(folder, 'bin', 'countersign.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, command, 'report.json'], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([64, '']);
    expect(stderr).toBe('countersign is not built yet: run `npm run bundle` in its folder first\n');
  });

  it('denies when called as a hook, also if it cannot be loaded', () => {
    const hook = (): number | null =>
      spawnSync(process.execPath, [join(folder, 'bin', 'countersign.js'), 'hook'], { input: '{}' }).status;
    expect(hook()).toBe(2);
    mkdirSync(join(folder, 'dist'));
    for (const code of ["import './nothing.js';", 'throw new Error("broken");', 'setImmediate(() => undefined.x);']) {
      writeFileSync(join(folder, 'dist', 'cli.js'), code);
      expect([code, hook()]).toEqual([code, 2]);
    }
  });
});
