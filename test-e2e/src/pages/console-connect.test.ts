import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, openConsole, picture, unexpected } from './console-page.js';
import type { OpenedConsole } from './console-page.js';

const run = promisify(execFile);
const HOUSE = fileURLToPath(new URL('../../../', import.meta.url));
const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const python = pythonWithHttpx();
const withPython = python === null ? it.skip : it;

/** The folder of a Python that `.ci/check-python.sh tools` has installed with what the client needs; `null`: there is none. */
function pythonWithHttpx(): string | null {
  const infra = process.env['COUNTERSIGN_TEST_INFRA_DIR'] ?? join(homedir(), '.cache/countersign-infra');
  const tools = join(infra, 'tools');
  const found = existsSync(tools) ? readdirSync(tools).filter((name) => name.startsWith('python-')) : [];
  const folders = found.map((name) => join(tools, name, 'own/bin'));
  return folders.find((folder) => existsSync(join(folder, 'python3')) && existsSync(join(folder, 'httpx'))) ?? null;
}

inBrowser(`the snippets that connect an agent${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let headers: Record<string, string>;
  let agentId: string;
  let opened: OpenedConsole;
  let page: Page;
  let folder: string;
  let key: string;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    headers = await instance.session();
    agentId = await newAgent(instance, headers);
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-connect-')));
    opened = await openConsole(browser, instance.bootstrap, `/agents/${agentId}/connect`);
    ({ page } = opened);
    // The policy of the page lets no script read the clipboard.
    await page.evaluate('navigator.clipboard.writeText = async (text) => void (window.copied = text)');
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The text that the page shows for a way to connect, and the one that it copies. */
  async function snippet(name: string): Promise<{ readonly shown: string; readonly copied: string }> {
    await page.getByRole('group', { name: 'Ways to connect' }).getByRole('button', { name, exact: true }).click();
    await page.getByRole('button', { name: `Copy the text for ${name}`, exact: true }).click();
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    return {
      shown: await page.locator('pre.code').innerText(),
      copied: await page.evaluate('window.copied'),
    };
  }

  /** The copied text, once the key is shown: exactly the one that the page shows. */
  async function pasted(name: string): Promise<string> {
    const { shown, copied } = await snippet(name);
    expect(shown).toBe(copied);
    expect(copied).toContain(key);
    expect(copied).toContain(agentId);
    expect(copied).toContain(instance.bootstrap.baseUrl);
    return copied;
  }

  const shell = async (script: string, path = ''): Promise<string> => {
    const env = {
      PATH: [path, join(HOUSE, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
      HOME: folder,
      PYTHONPATH: join(HOUSE, 'libs/client-python/src'),
      npm_config_offline: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    };
    return (await run('sh', ['-ec', script.replace('/path/to/countersign/', HOUSE)], { cwd: folder, env })).stdout;
  };
  const checks = async (): Promise<number> => {
    const path = `/v1/events?agentId=${agentId}&type=action.checked`;
    return ((await instance.request('GET', path, { headers })).json as { readonly total: number }).total;
  };
  /** Runs something, and waits for the checks that it adds. */
  async function answered<T>(work: () => Promise<T>): Promise<T> {
    const before = await checks();
    const said = await work();
    await eventually('a check of the agent', 30, async () => ((await checks()) > before ? true : null));
    return said;
  }

  it('stand with a placeholder until a key for the agent alone is made, which is masked', async () => {
    await page.getByText('Waiting for the first check of this agent…').waitFor();
    expect((await snippet('curl')).copied).toContain('x-service-key: YOUR_API_KEY');
    await picture(page, 'agent-connect');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Make a key for this agent' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Store it now', { exact: false }).waitFor();
    const { shown, copied } = await snippet('curl');
    [key = ''] = /csn_live_[0-9A-Za-z]{40}/u.exec(copied) ?? [];
    expect(key).not.toBe('');
    expect(shown).not.toContain(key);
    expect(await page.content()).not.toContain(key);
    const { json } = await instance.request('GET', '/v1/api-keys', { headers });
    const [made] = (json as { readonly apiKeys: readonly object[] }).apiKeys;
    expect(made).toMatchObject({ agentIds: [agentId], rights: ['check', 'outcome', 'scan'] });
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('pre.code', { hasText: key }).waitFor();
    await picture(page, 'agent-connect-key');
    expect(await barriersOf(page)).toEqual([]);
  }, 60_000);

  it('curl: is answered, and the page says at once that the first check is there', async () => {
    expect(JSON.parse(await shell(await pasted('curl')))).toEqual({ allowed: true });
    await page.getByText('There it is. Newest check: allowed,', { exact: false }).waitFor({ timeout: 30_000 });
    await picture(page, 'agent-connect-there');
    expect(await barriersOf(page)).toEqual([]);
  }, 60_000);

  it('JavaScript: installs the client, and is answered', async () => {
    const script = await pasted('JavaScript');
    expect(await answered(() => shell(script))).toMatch(/^allowed$/mu);
  }, 120_000);

  withPython(
    `Python: is answered${python === null ? ' (needs .ci/check-python.sh tools)' : ''}`,
    async () => {
      // The client is read from its sources: an installation would download a build backend.
      const script = (await pasted('Python')).replace(/^pip install .*\n/mu, '');
      expect(await answered(() => shell(script, python!))).toBe('allowed\n');
    },
    60_000,
  );

  it('MCP: a client that is configured by it calls a tool, which is checked first', async () => {
    const text = await pasted('MCP');
    const { mcpServers } = JSON.parse(text) as {
      readonly mcpServers: {
        readonly files: { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };
      };
    };
    const { command, args, env } = mcpServers.files;
    // The official server is there already: npx would download it.
    const [npx, yes, server = '', ...rest] = args.slice(args.indexOf('--') + 1);
    expect([npx, yes]).toEqual(['npx', '-y']);
    const manifest = createRequire(import.meta.url).resolve(`${server}/package.json`);
    const program = join(dirname(manifest), 'dist/index.js');
    writeFileSync(join(folder, 'plain.txt'), 'hello');
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: join(HOUSE, 'node_modules/.bin', command),
        args: [...args.slice(0, args.indexOf('--') + 1), process.execPath, program, ...rest],
        env: { ...env, PATH: process.env['PATH'] ?? '' },
        cwd: folder,
        stderr: 'ignore',
      }),
    );
    const call = { name: 'read_text_file', arguments: { path: join(folder, 'plain.txt') } };
    const { content } = await answered(() => client.callTool(call));
    expect(content).toMatchObject([{ text: 'hello' }]);
    await client.close();
  }, 60_000);

  it('Claude Code: writes a hook that is proved against the running service', async () => {
    // A program cannot be asked: the one question is answered beforehand.
    const script = `${await pasted('Claude Code')} --yes`;
    const said = await answered(() => shell(script));
    expect(said).toContain('ok     a denial blocks');
    expect(said).not.toContain('FAILED');
  }, 60_000);

  it('leave no key behind, and fit on a narrow and dark screen', async () => {
    await page.keyboard.press('1');
    await page.getByRole('heading', { name: 'Newest events' }).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.keyboard.press('6');
    await page.getByText('There it is', { exact: false }).waitFor();
    expect(await page.content()).not.toContain(key);
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])';
    expect(await page.evaluate(kept)).not.toContain(key);
    expect(unexpected(opened.watched)).toEqual([]);
    await page.context().close();
    const narrow = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
    const { page: small } = await openConsole(browser, instance.bootstrap, `/agents/${agentId}/connect`, narrow);
    await small.getByText('There it is', { exact: false }).waitFor();
    await small.getByRole('button', { name: 'Python', exact: true }).click();
    await picture(small, 'agent-connect-narrow-dark');
    expect(await small.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
    expect(await barriersOf(small)).toEqual([]);
    await small.context().close();
  }, 60_000);
});
