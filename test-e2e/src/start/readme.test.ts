import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';

const HOUSE = fileURLToPath(new URL('../../../', import.meta.url));
const README = 'README.md';
const CLI = 'libs/cli/README.md';

interface Block {
  readonly language: string;
  readonly text: string;
}

/** Fenced blocks of a section of a document, in order. */
function blocksOf(path: string, section: string): readonly Block[] {
  const [, text = ''] = readFileSync(join(HOUSE, path), 'utf8').split(`\n## ${section}\n`);
  const [until = ''] = text.split('\n## ');
  return [...until.matchAll(/^```(\w*)\n([^]*?)^```$/gmu)].map(([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

/** A pattern for variable output: any ids and times, `…` for anything, exact figures. */
function pattern(line: string): RegExp {
  const known = line
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '[0-9a-f-]{36}')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\\\.\d{3}Z/g, '\\S+Z')
    .replaceAll('…', '.*');
  return new RegExp(`^${known}$`, 'm');
}

describe('the examples of the documentation, unchanged', () => {
  let instance: Instance;
  let folder: string;
  beforeAll(async () => {
    instance = await Instance.start();
    folder = dirname(instance.dataDir);
    // A clone, except for its data.
    for (const name of ['node_modules', 'services', 'libs', 'package.json']) {
      symlinkSync(join(HOUSE, name), join(folder, name));
    }
    // Does the same as npx in a clone, without its delay.
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/npx'), '#!/bin/sh\nname=$1\nshift\nexec "node_modules/.bin/$name" "$@"\n', {
      mode: 0o755,
    });
  }, 90_000);
  afterAll(() => instance?.discard());

  /** Replaces the address, the only text that differs in a test. */
  function shell(script: string): Promise<{ readonly code: number; readonly said: string }> {
    const text = script.replaceAll('http://127.0.0.1:8080', instance.bootstrap.baseUrl);
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    };
    return new Promise((resolve) => {
      const child = execFile('sh', ['-c', text], { cwd: folder, env }, (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, said: `${stdout}${stderr}` });
      });
    });
  }

  const lines = (text: string): readonly string[] =>
    text.split('\n').filter((line) => !['', '…'].includes(line.trim()));

  it('lead from the first check to a report that is verified', async () => {
    const [, , replay, said, verify, verified] = blocksOf(README, 'Sixty seconds to the first verified report');
    const curl = /^ {2}(curl .*)$/m.exec(instance.output)?.[1] ?? '';
    expect(await shell(curl)).toEqual({ code: 0, said: '{"allowed":true}' });
    const [before = '', after = ''] = replay!.text.split(/^sleep .*\n/m);
    const first = await shell(before);
    // Replaces the pause of the text by the time this machine needs.
    const headers = await instance.session();
    await eventually('all is anchored', 60, async () => {
      const { json } = await instance.request('GET', '/v1/events?limit=1000', { headers });
      const { events } = json as { events: { anchored: boolean }[] };
      return events.length > 24 && events.every(({ anchored }) => anchored) ? true : null;
    });
    const second = await shell(after);
    expect([first.code, second.code]).toEqual([0, 0]);
    for (const line of lines(said!.text)) expect(`${first.said}${second.said}`).toMatch(pattern(line));
    const { code, said: verdict } = await shell(verify!.text);
    for (const line of lines(verified!.text)) expect(verdict).toMatch(pattern(line));
    expect(code).toBe(0);
  }, 120_000);

  // After the checks of the test above, which the dry run reports.
  it('test a policy, and show its effect', async () => {
    const [policy, session] = blocksOf(CLI, 'Policies in a repository');
    writeFileSync(join(folder, 'policy.yaml'), policy!.text);
    expect(await shell('npx countersign policy test policy.yaml')).toEqual({
      code: 0,
      said: '2 cases in 1 file: 2 passed, 0 failed\n',
    });
    const commands = [...session!.text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)];
    expect(commands).toHaveLength(2);
    for (const [, command = '', output = ''] of commands) {
      const { code, said } = await shell(command);
      expect([command, code]).toEqual([command, 0]);
      for (const line of lines(output)) expect(said).toMatch(pattern(line));
    }
  }, 120_000);
});
