import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser, watch } from './browser.js';
import type { Watched } from './browser.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const VECTORS = new URL('../../../libs/evidence/vectors/redecide/', import.meta.url);
const WASM = '**/libpg-query.wasm';

interface Vector {
  readonly package: object;
  readonly keys: readonly { readonly pem: string }[];
}

inBrowser(`verdicts on the page /verify${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'redecision-page-'));
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
    rmSync(folder, { recursive: true });
  });

  async function open(): Promise<{ page: Page; watched: Watched }> {
    const page = await browser.newPage();
    const watched = watch(page);
    const whole = page.waitForResponse('**/verify/redecide.js');
    await page.goto(`${instance.bootstrap.baseUrl}/verify`);
    await (await whole).finished();
    return { page, watched };
  }
  /** The verdict of the page, and what it says of the verdicts of the file. */
  async function ask(page: Page, file: string, pem: string): Promise<{ verdict: string; text: string; all: string }> {
    await page.locator('#pem').fill(pem);
    await page.locator('#file').setInputFiles(file);
    await page.locator('#redecision').waitFor({ timeout: 30_000 });
    const [verdict, text] = [page.locator('#verdict'), page.locator('#redecision')];
    const result = page.locator('#result');
    return { verdict: await verdict.innerText(), text: await text.innerText(), all: await result.innerText() };
  }
  function vectorFile(name: string): { readonly file: string; readonly pem: string } {
    const { package: pkg, keys } = JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8')) as Vector;
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(pkg));
    return { file, pem: keys[0]!.pem };
  }

  it('computes every verdict of a package again, without a connection', async () => {
    const { page, watched } = await open();
    await page.context().setOffline(true);
    const { file, pem } = vectorFile('same');
    const { verdict, text, all } = await ask(page, file, pem);
    expect(verdict).toBe('Nothing is wrong, but not everything was checked');
    expect(text).toContain('Every verdict follows from the policy');
    expect(text).toContain('9 verdicts: 9 same, 0 different');
    expect(all).toContain('continuous');
    expect([...watched.origins]).toEqual([instance.bootstrap.baseUrl]);
    expect(watched.complaints).toEqual([]);
    await page.close();
  }, 60_000);

  it.each([
    ['verdict-flipped', 'outcome is recorded as "allowed", and computed as "denied"'],
    ['debit-skipped', 'the balance spent.day is recorded as 0, and by the checks before it is 4000000'],
    ['policy-altered', 'rule is recorded as "off_limits_actions:wire", and computed as null'],
  ])(
    'refuses what an operator altered, signed and anchored again: %s',
    async (name, words) => {
      const { page, watched } = await open();
      const { file, pem } = vectorFile(name);
      const { verdict, text, all } = await ask(page, file, pem);
      expect(verdict).toBe('Do not rely on this file');
      expect(text).toContain('does not follow');
      expect(all).toContain(words);
      expect(watched.complaints).toEqual([]);
      await page.close();
    },
    60_000,
  );

  it('reads SQL as the service does, and says so where its parser cannot be fetched', async () => {
    const headers = await instance.session();
    const rules = [
      { id: 'read-only', tools: ['sql'], args: { query: { read_only_sql: true } }, effect: 'deny_unless' },
    ];
    const agentId = await newAgent(instance, headers, { store_payload: true, rules });
    const outcomes = [];
    for (const query of ['select count(*) from orders', 'with gone as (delete from orders returning *) select 1']) {
      const action = { type: 'tool_use', tool_name: 'sql', payload: { query } };
      outcomes.push((await instance.check(action, { agentId })).json);
    }
    expect(outcomes).toMatchObject([{ allowed: true }, { allowed: false }]);
    const body = {
      agentIds: [agentId],
      format: 'json',
      frameworks: ['soc2'],
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    const exported = await eventually('both checks are in a report', 30, async () => {
      const answer = await instance.request('POST', '/v1/events/export-signed', { headers, body });
      return answer.status === 200 ? answer : null;
    });
    const keys = (await instance.request('GET', '/v1/keys')).json as { readonly activeKeyId: string };
    const pem = (await instance.request('GET', `/v1/keys/${keys.activeKeyId}`)).text;
    const file = join(folder, 'sql.json');
    writeFileSync(file, exported.text);

    const { page, watched } = await open();
    const asked = page.waitForResponse(WASM);
    const whole = await ask(page, file, pem);
    expect(whole.text).toContain('2 verdicts: 2 same, 0 different');
    expect((await (await asked).headerValue('content-type'))!).toBe('application/wasm');
    expect(watched.complaints).toEqual([]);
    await page.close();

    const { page: cut } = await open();
    await cut.route(WASM, (route) => route.abort());
    const { verdict, text, all } = await ask(cut, file, pem);
    expect(verdict).not.toBe('Do not rely on this file');
    expect(text).toContain('0 same, 0 different, 0 withheld, 0 erased, 2 not checked');
    expect(text).toContain("PostgreSQL's parser could not be loaded");
    expect(all).toContain('a rule of the profile cannot be evaluated here');
    await cut.close();
  }, 120_000);
});
