import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type FaultSession, openFaultSession } from './fault-session.js';

let folder: string;
let data: string;
let session: FaultSession;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fault-files-'));
  data = join(folder, 'data');
  session = openFaultSession(data);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs statements over `node:fs` in a child process, in the directory. */
function run(script: string): string {
  return execFileSync(process.execPath, ['--input-type=commonjs', '-e', `const fs = require('node:fs');\n${script}`], {
    cwd: data,
    env: { ...process.env, NODE_OPTIONS: '', ...session.env },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
}

function contents(): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(data).map((name) => [name, readFileSync(join(data, name), 'latin1')]));
}

const SYNC_FOLDER = "{ const d = fs.openSync('.', 'r'); fs.fsyncSync(d); fs.closeSync(d); }";

describe('names after a power loss', () => {
  it.each([
    ['a new file is lost', "fs.writeFileSync('new', 'x');", { old: 'old' }],
    ['a new file stays when it was synced', "fs.writeFileSync('new', 'x', { flush: true });", { old: 'old', new: 'x' }],
    [
      'a new file is empty when only its folder was synced',
      `fs.writeFileSync('new', 'x'); ${SYNC_FOLDER}`,
      { old: 'old', new: '' },
    ],
    ['a deleted file is back', "fs.unlinkSync('old');", { old: 'old' }],
    ['a deleted file is gone when its folder was synced', `fs.unlinkSync('old'); ${SYNC_FOLDER}`, {}],
    [
      'a deleted and made again file is the old one',
      "fs.unlinkSync('old'); fs.writeFileSync('old', 'other');",
      { old: 'old' },
    ],
    [
      'a replaced file is the old one, the replacement stays as well',
      "fs.writeFileSync('tmp', 'x', { flush: true }); fs.renameSync('tmp', 'old');",
      { old: 'old', tmp: 'x' },
    ],
    [
      'a replaced file is the new one when its folder was synced',
      `fs.writeFileSync('tmp', 'x', { flush: true }); fs.renameSync('tmp', 'old'); ${SYNC_FOLDER}`,
      { old: 'x' },
    ],
    [
      'a replacement that was never synced is empty although its folder was',
      `fs.writeFileSync('tmp', 'x'); fs.renameSync('tmp', 'old'); ${SYNC_FOLDER}`,
      { old: '' },
    ],
    ['an overwritten file is the old one', "fs.writeFileSync('old', 'a longer text');", { old: 'old' }],
    ['an appended text is gone', "fs.appendFileSync('old', 'er');", { old: 'old' }],
    ['an appended text stays when it was synced', "fs.appendFileSync('old', 'er', { flush: true });", { old: 'older' }],
  ])('%s', (_title, script, expected) => {
    writeFileSync(join(data, 'old'), 'old');
    // Node 20 has no `flush` on every method: sync the file by its name.
    run(script.replace(/fs\.(writeFileSync|appendFileSync)\(('\w+'), ('[^']*'), \{ flush: true \}\)/g, syncedWrite));
    session.dropUnsynced();
    expect(contents()).toEqual(expected);
  });

  function syncedWrite(_all: string, method: string, name: string, text: string): string {
    return `{ fs.${method}(${name}, ${text}); const f = fs.openSync(${name}, 'r+'); fs.fsyncSync(f); fs.closeSync(f); }`;
  }
});

describe('a descriptor', () => {
  it('that was closed and reused for another file does not affect the first one', () => {
    const other = JSON.stringify(join(folder, 'elsewhere'));
    const numbers = run(`
      const first = fs.openSync('safe', 'w');
      fs.writeSync(first, 'safe and sound');
      fs.fsyncSync(first);
      fs.closeSync(first);
      const second = fs.openSync(${other}, 'w');
      fs.writeSync(second, 'not watched');
      console.log(first === second);`);
    expect(numbers).toBe('true\n');
    session.dropUnsynced();
    expect(contents()['safe']).toBe('safe and sound');
  });
});

describe('a sync that failed', () => {
  const FAIL_THEN_RETRY = `
    const f = fs.openSync('log', 'r+');
    fs.writeSync(f, 'lost', 0);
    let code = '';
    try { fs.fsyncSync(f); } catch (error) { code = error.code; }
    fs.fsyncSync(f);
    console.log(code);`;

  it('has lost its writes even if the next sync succeeds', () => {
    writeFileSync(join(data, 'log'), 'safe and sound');
    session.inject({ fsync: 'EIO', times: 1 });
    expect(run(FAIL_THEN_RETRY)).toBe('EIO\n');
    session.dropUnsynced();
    expect(contents()).toEqual({ log: 'safe and sound' });
  });

  it('has lost them also if another process syncs', () => {
    writeFileSync(join(data, 'log'), 'safe and sound');
    session.inject({ fsync: 'EIO', times: 1 });
    run(FAIL_THEN_RETRY);
    session.clear();
    run("const f = fs.openSync('log', 'r+'); fs.writeSync(f, 'x', 5000); fs.fsyncSync(f);");
    session.dropUnsynced();
    expect(contents()['log']?.slice(0, 14)).toBe('safe and sound');
    expect(contents()['log']?.slice(5000)).toBe('x');
  });

  it('has not lost the pages that were written again', () => {
    writeFileSync(join(data, 'log'), 'safe and sound');
    session.inject({ fsync: 'EIO', times: 1 });
    run(
      FAIL_THEN_RETRY.replace(
        'fs.fsyncSync(f);\n    console',
        "fs.writeSync(f, 'S', 9); fs.fsyncSync(f);\n    console",
      ),
    );
    session.dropUnsynced();
    expect(contents()).toEqual({ log: 'lost and Sound' });
  });
});

type Step = readonly ['write', number, string] | readonly ['truncate', number] | readonly ['sync'];

describe('any sequence of writes, truncations and syncs', () => {
  it('leaves the state of the last sync', () => {
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.constant('write' as const), fc.nat(9000), fc.string({ maxLength: 6000 })) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('truncate' as const), fc.nat(12_000)) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('sync' as const)) },
    );
    const sequences = fc.sample(fc.array(step, { minLength: 1, maxLength: 25 }), 150);
    const plan = join(folder, 'plan.json');
    writeFileSync(plan, JSON.stringify(sequences));
    const synced = run(`
      const seen = JSON.parse(fs.readFileSync(${JSON.stringify(plan)}, 'utf8')).map((steps, i) => {
        const f = fs.openSync('f' + i, 'w+');
        let seen = null;
        for (const [kind, at, text] of steps) {
          if (kind === 'write') fs.writeSync(f, text, at);
          else if (kind === 'truncate') fs.ftruncateSync(f, at);
          else { fs.fsyncSync(f); seen = fs.readFileSync('f' + i, 'base64'); }
        }
        return seen;
      });
      process.stdout.write(JSON.stringify(seen));`);
    const expected = JSON.parse(synced) as readonly (string | null)[];
    session.dropUnsynced();
    const left = sequences.map((_, i) => {
      const path = join(data, `f${i}`);
      return existsSync(path) ? readFileSync(path, 'base64') : null;
    });
    expect(left).toEqual(expected);
    expect(expected.filter((content) => content !== null).length).toBeGreaterThan(50);
  });
});
