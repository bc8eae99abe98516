import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './child-server.js';

describe('a server that is a process', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-child-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
  };

  it('is not read while it is on hold, and completely afterwards', async () => {
    const written = join(folder, 'written');
    const program = `
      const { writeFileSync } = require('node:fs');
      writeFileSync(1, '{"method":"said"}\\n');
      writeFileSync(process.argv[1], '');
      process.stdin.resume();
    `;
    const lines: string[] = [];
    const server = startChild([process.execPath, '-e', program, written], process.env, {
      line: (text) => void lines.push(text),
      failed: () => undefined,
      note: () => undefined,
    });
    server.hold?.(true);
    await until(() => existsSync(written));
    for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toEqual([]);
    server.hold?.(false);
    await until(() => lines.length > 0);
    expect(lines).toEqual(['{"method":"said"}']);
    server.end('now');
    await server.gone;
  });
});
