import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { Instance } from '../instance/instance.js';

const run = promisify(execFile);
const HOUSE = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGE = join(HOUSE, 'libs/client-js');

const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
/** The installation command. */
const [, INSTALLATION = ''] = /^```sh\n([^\n]*)\n```$/mu.exec(README) ?? [];

/** Each JavaScript block of the README that needs no framework, as a file of its module kind. */
const examples = [...README.matchAll(/^```js\n([^]*?)^```$/gmu)]
  .filter(([, code = '']) => !code.includes("'@countersign/client/"))
  .map(([, code = ''], n) => ({ name: `example-${n}.${code.includes('require(') ? 'cjs' : 'mjs'}`, code }));

/** The export of each adapter, by its subpath. */
const ADAPTERS = {
  'ai-sdk': 'guardTools',
  langchain: 'guardTools',
  'openai-agents': 'guardTool',
  mastra: 'guardHooks',
  'claude-agent-sdk': 'guardHooks',
  express: 'guardRequests',
  fastify: 'guardRequests',
};

describe('the JavaScript client, installed into an empty folder as its README says', () => {
  let instance: Instance;
  let folder: string;
  beforeAll(async () => {
    instance = await Instance.start();
    folder = mkdtempSync(join(tmpdir(), 'countersign-client-'));
    const env = { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
    await run('sh', ['-ec', INSTALLATION.replace('/path/to/countersign/', HOUSE)], { cwd: folder, env });
    const files = readdirSync(join(folder, 'node_modules/@countersign/client'), { recursive: true }) as string[];
    expect(files.filter((path) => /test|tsbuildinfo|\bsrc\b/u.test(path))).toEqual([]);
  }, 120_000);
  afterAll(async () => {
    await instance?.discard();
    rmSync(folder, { recursive: true, force: true });
  });

  const node = async (file: string, code: string): Promise<{ stdout: string; stderr: string }> => {
    writeFileSync(join(folder, file), code);
    const { apiKey, agentId } = instance.bootstrap;
    const env = { ...process.env, NODE_OPTIONS: '' };
    return run(process.execPath, [file], {
      cwd: folder,
      env: {
        ...env,
        COUNTERSIGN_API_KEY: apiKey,
        COUNTERSIGN_AGENT_ID: agentId,
        COUNTERSIGN_BASE_URL: instance.bootstrap.baseUrl,
      },
    });
  };

  it('is small', () => {
    const installed = join(folder, 'node_modules/@countersign/client');
    const bytesIn = (path: string): number =>
      readdirSync(path, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const sizes = { packed: statSync(join(folder, packed)).size, installed: bytesIn(installed) };
    console.info(`@countersign/client: ${JSON.stringify(sizes)} bytes`);
    expect(sizes.packed).toBeLessThan(65_536);
    expect(sizes.installed).toBeLessThan(400_000);
  });

  it('behaves as its README says', async () => {
    expect(examples.map(({ name }) => name)).toEqual(['example-0.mjs', 'example-1.mjs', 'example-2.cjs']);
    const said = [];
    for (const { name, code } of examples) said.push(await node(name, code));
    expect(said).toEqual([
      { stdout: 'go on\n', stderr: '' },
      { stdout: 'created order-1\n', stderr: '' },
      { stdout: 'true\n', stderr: '' },
    ]);
  }, 60_000);

  it('reports the outcome of an action, which the archive then has', async () => {
    const session = await instance.session();
    const { agentId } = instance.bootstrap;
    const { json } = await instance.request('GET', `/v1/events?agentId=${agentId}&type=action.outcome`, {
      headers: session,
    });
    expect(json).toMatchObject({ total: 1, events: [{ outcome: 'succeeded' }] });
  });

  it('has its adapters in both module kinds, without an installed framework', async () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@countersign']);
    expect(existsSync(join(folder, 'node_modules/@countersign/client/node_modules'))).toBe(false);
    const names = Object.entries(ADAPTERS);
    const list = (from: (path: string) => string): string =>
      `console.log([${names.map(([path, name]) => `typeof ${from(`'@countersign/client/${path}'`)}.${name}`).join()}].join());`;
    const said = [
      await node(
        'adapters.mjs',
        list((path) => `(await import(${path}))`),
      ),
      await node(
        'adapters.cjs',
        list((path) => `require(${path})`),
      ),
    ];
    const stdout = `${names.map(() => 'function').join()}\n`;
    expect(said).toEqual([
      { stdout, stderr: '' },
      { stdout, stderr: '' },
    ]);
  });

  it('works from a bundle for browsers, without modules of Node', async () => {
    const { apiKey, agentId, baseUrl } = instance.bootstrap;
    const imports = Object.keys(ADAPTERS).map((path, n) => `import * as a${n} from '@countersign/client/${path}';`);
    const program =
      `import { Countersign } from '@countersign/client';\n${imports.join('\n')}\n` +
      `globalThis.kinds = [${imports.map((_, n) => `typeof a${n}`).join()}];\n` +
      `globalThis.asked = new Countersign(${JSON.stringify({ apiKey, agentId, baseUrl })}).check({ actionType: 'pay' });\n`;
    writeFileSync(join(folder, 'page.mjs'), program);
    const esbuild = join(HOUSE, 'node_modules/esbuild/bin/esbuild');
    // It ends with an error if a module of Node is imported.
    const { stdout } = await run(esbuild, ['page.mjs', '--bundle', '--platform=browser', '--format=iife'], {
      cwd: folder,
    });
    const { fetch, setTimeout, clearTimeout, performance, crypto, URL, AbortController, TextDecoder } = globalThis;
    const page = { fetch, setTimeout, clearTimeout, performance, crypto, URL, AbortController, TextDecoder };
    runInNewContext(stdout, page);
    expect(await (page as unknown as { asked: Promise<unknown> }).asked).toMatchObject({ allowed: true });
  });

  it('has types for import and for require', async () => {
    const adapters = Object.entries(ADAPTERS).map(([path, name], n) => ({ path, name, as: `guard${n}` }));
    const program = (first: string): string =>
      `${first}\nconst one = new Countersign('key', 'id');\n` +
      `export const tools: { pay: { execute: () => string } } = guard0(one, { pay: { execute: () => 'paid' } });\n` +
      `export const guards = [${adapters.map(({ as }) => as).join()}];\n` +
      `const allowed: Promise<boolean> = one.check({ actionType: 'pay' }).then((check) => check.allowed);\nvoid allowed;\n`;
    const imported = adapters.map(
      ({ path, name, as }) => `import { ${name} as ${as} } from '@countersign/client/${path}';`,
    );
    const required = adapters.map(
      ({ path, name, as }) => `import ${as}s = require('@countersign/client/${path}');\nconst ${as} = ${as}s.${name};`,
    );
    const first = `import { Countersign } from '@countersign/client';`;
    writeFileSync(join(folder, 'imports.mts'), program([first, ...imported].join('\n')));
    const requiring = `import client = require('@countersign/client');\nconst { Countersign } = client;`;
    writeFileSync(join(folder, 'requires.cts'), program([requiring, ...required].join('\n')));
    const tsc = join(HOUSE, 'node_modules/typescript/lib/tsc.js');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
    // Projects that look packages up as Node 10 did read no `exports`.
    writeFileSync(join(folder, 'looks-up.ts'), program([first, ...imported].join('\n')));
    const asNode10 = ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'];
    await Promise.all([
      run(process.execPath, [tsc, ...options, 'imports.mts', 'requires.cts'], { cwd: folder }),
      run(process.execPath, [tsc, ...options, ...asNode10, 'looks-up.ts'], { cwd: folder }),
    ]);
  }, 60_000);
});
