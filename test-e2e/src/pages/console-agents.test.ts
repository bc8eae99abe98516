import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, openConsole, picture, unexpected } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const AGENTS = 500;
const MOST_ROWS = 80;
const AT_A_TIME = 10;

const nameOf = (n: number): string => `Agent ${String(n).padStart(3, '0')}`;

inBrowser(`500 agents in the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    const headers = await instance.session();
    // One of them exists.
    for (let from = 1; from < AGENTS; from += AT_A_TIME) {
      const some = Array.from({ length: Math.min(AT_A_TIME, AGENTS - from) }, (_, n) => from + n);
      const made = await Promise.all(
        some.map((n) => instance.request('POST', '/v1/agents', { headers, body: { name: nameOf(n) } })),
      );
      expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    }
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const rowsOf = (page: Page): Promise<number> => page.locator('.agent-table tbody tr[data-index]').count();
  const link = (page: Page, n: number) => page.getByRole('link', { name: nameOf(n), exact: true });

  it('have few rows in the document, and the last one is reached by wheel and by key', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/agents');
    await page.getByText('500 agents', { exact: true }).waitFor();
    await page.locator('.agent-table tbody tr[data-index]').first().waitFor();
    expect(await rowsOf(page)).toBeLessThan(MOST_ROWS);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('501');
    await picture(page, 'agents-500');
    expect(await barriersOf(page)).toEqual([]);
    const list = page.getByRole('group', { name: 'Agents' });
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    const oldest = page.getByRole('link', { name: 'First agent', exact: true });
    await oldest.waitFor();
    expect(await page.locator('tr', { has: oldest }).getAttribute('aria-rowindex')).toBe('501');
    expect(await rowsOf(page)).toBeLessThan(MOST_ROWS);
    await list.focus();
    await page.keyboard.press('Home');
    await page.locator('tr[aria-rowindex="2"] a:focus').waitFor();
    await page.keyboard.press('j');
    await page.locator('tr[aria-rowindex="3"] a:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator('tr[aria-rowindex="2"] a:focus').waitFor();
    await page.keyboard.press('End');
    await page.locator('tr[aria-rowindex="501"] a:focus').waitFor();
    // The row that has the focus stays, wherever the list is scrolled.
    await list.evaluate((element) => element.scrollTo({ top: 0 }));
    await page.locator('tr[aria-rowindex="2"]').waitFor();
    expect(await page.locator('tr[aria-rowindex="501"] a:focus').count()).toBe(1);
    expect(await rowsOf(page)).toBeLessThan(MOST_ROWS);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'First agent', level: 1 }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('are found and put in order without a wait', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/agents');
    await page.getByText('500 agents', { exact: true }).waitFor();
    const list = page.getByRole('group', { name: 'Agents' });
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page.getByLabel('Name or id').fill('agent 12');
    await page.getByText('10 agents', { exact: true }).waitFor();
    await link(page, 129).waitFor();
    await page.locator('.agent-table tbody tr[data-index]').nth(9).waitFor();
    expect(await rowsOf(page)).toBe(10);
    // From the key to the frame after the answer; 100 ms on a machine that is not busy.
    const spent = Number(
      await page.evaluate(`(async () => {
        const field = document.querySelector('.filters input');
        const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
        const times = [];
        for (const text of ['agent 1', 'agent', 'agent 4', '', 'agent 499']) {
          const begun = performance.now();
          set.call(field, text);
          field.dispatchEvent(new Event('input', { bubbles: true }));
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          times.push(performance.now() - begun);
        }
        return times.sort((one, other) => one - other)[2];
      })()`),
    );
    expect(spent).toBeLessThan(250);
    await page.getByText('1 agent', { exact: true }).waitFor();
    // The server is asked once typing rests.
    const typed: string[] = [];
    page.on('request', (request) => typed.push(new URL(request.url()).searchParams.get('q') ?? ''));
    const lookedUp = page.waitForRequest((request) => request.url().includes('q=agent+301'));
    await page.evaluate(`(async () => {
      const field = document.querySelector('.filters input');
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
      for (const text of ['agent 3', 'agent 30', 'agent 301']) {
        set.call(field, text);
        field.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((done) => setTimeout(done));
      }
    })()`);
    await link(page, 301).waitFor();
    await lookedUp;
    expect(typed.filter((text) => text.startsWith('agent 3'))).toEqual(['agent 301']);
    await page.getByLabel('Name or id').fill('');
    await page.getByLabel('Order').selectOption('name');
    await link(page, 1).waitFor();
    expect(new URL(page.url()).hash).toBe('#/agents?sort=name');
    expect(await page.locator('tr[aria-rowindex="2"]').innerText()).toContain(nameOf(1));
    await page.reload();
    await link(page, 1).waitFor();
    await link(page, 1)
      .locator('xpath=ancestor::tr')
      .getByRole('button', { name: /Freeze/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Freeze' }).click();
    await page.locator('tr[aria-rowindex="2"]').getByText('frozen', { exact: true }).waitFor();
    await page.getByLabel('State').selectOption('frozen');
    await page.getByText('1 agent', { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/agents?status=frozen&sort=name');
    // The filter is the server's: it finds what this page has never read.
    const asked = page.waitForRequest((request) => request.url().includes('q=agent+00'));
    await page.getByLabel('Name or id').fill('agent 00');
    expect(new URL((await asked).url()).search).toBe('?q=agent+00&status=frozen&sort=name&limit=1000&offset=0');
    await page.getByText('1 agent', { exact: true }).waitFor();
    await page.getByLabel('Name or id').fill('agent 002');
    await page.getByRole('heading', { name: 'No agent matches' }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('fit on a narrow and dark screen', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/agents', {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
    });
    await page.getByText('500 agents', { exact: true }).waitFor();
    await link(page, 499).waitFor();
    expect(await rowsOf(page)).toBeLessThan(MOST_ROWS);
    const list = page.getByRole('group', { name: 'Agents' });
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight / 2 }));
    await picture(page, 'agents-500-narrow-dark');
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page.getByRole('link', { name: 'First agent', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    expect(await barriersOf(page)).toEqual([]);
    await page.context().close();
  }, 120_000);
});
