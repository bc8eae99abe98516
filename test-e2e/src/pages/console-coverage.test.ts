import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, goTo, openConsole, picture, unexpected } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const HOSTILE = '<img src=x onerror="window.hit=1">\u202Egnp';
const COVERAGE = '**/v1/coverage?*';

inBrowser(`coverage in the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  const auditor = { email: 'auditor@example.com', password: 'a password of an auditor' };
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    const headers = await instance.session();
    await instance.request('POST', '/v1/users', { headers, body: { ...auditor, role: 'auditor' } });
    const { agentId } = instance.bootstrap;
    const body = { blocked_apis: ['evil.example'] };
    await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers, body });
    const other = await newAgent(instance, headers, { ...body, mode: 'observe' });
    await instance.request('PATCH', `/v1/agents/${other}`, { headers, body: { name: HOSTILE } });
    for (const id of [agentId, other]) {
      for (let n = 0; n < 12; n += 1) {
        const url = n % 4 === 0 ? `https://evil.example/${n}` : 'https://api.example.com/';
        expect((await instance.check({ type: 'http_call', url }, { agentId: id })).status).toBe(200);
      }
    }
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const row = (page: Page, control: string) =>
    page
      .getByRole('group', { name: 'Controls and the events that show them' })
      .getByRole('row')
      .filter({ hasText: control });

  it('leads from each cell to exactly the events that it counts, and says what they are', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/coverage?by=agent');
    await row(page, 'CC6.1').getByText('Shown with gaps').waitFor();
    await row(page, 'CC7.3').getByText('Not shown by events').waitFor();
    await row(page, 'C1.1').getByText('Needs your declaration').waitFor();
    await page.getByText(/They are not an opinion on the design or operating effectiveness/).waitFor();
    await picture(page, 'coverage');
    expect(await barriersOf(page)).toEqual([]);
    const cells = await page.locator('.heat a').evaluateAll((links) =>
      links.map((link) => ({
        count: Number.parseInt(link.textContent ?? '', 10),
        href: link.getAttribute('href') ?? '',
      })),
    );
    expect(cells.length).toBeGreaterThan(6);
    for (const { count, href } of cells) {
      await goTo(page, href.slice(1));
      await page.getByText(`${count} ${count === 1 ? 'event' : 'events'}`, { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Coverage', exact: true }).last().waitFor();
    }
    await goTo(page, cells.find(({ href }) => href.includes('status=Gap'))!.href.slice(1));
    await page.getByText('Observe mode let a violation pass.').first().waitFor();
    await picture(page, 'coverage-events');
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 180_000);

  it('is read by keyboard alone, and by an auditor', async () => {
    const { page, watched } = await openConsole(browser, { ...instance.bootstrap, ...auditor }, '/overview');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await row(page, 'CC6.1').getByText('Shown with gaps').waitFor();
    const link = row(page, 'CC7.2').getByRole('link').first();
    await link.focus();
    await page.keyboard.press('ArrowDown');
    const focused = (): Promise<string> => page.evaluate("document.activeElement.closest('tr').textContent");
    expect(await focused()).toContain('CC6.1');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toMatch(
      /for CC6\.1, \d{4}-\d{2}-\d{2}$/,
    );
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Events for CC6.1' }).waitFor();
    await page.getByRole('row').nth(1).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('says what failed and keeps what was counted, teaches where there is nothing, and fits a narrow screen', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/coverage');
    await row(page, 'CC6.1').getByText('Shown with gaps').waitFor();
    const busy = 'other computations of coverage are under way: try again when they have ended';
    await page.route(COVERAGE, (route) =>
      route.fulfill({ status: 503, body: JSON.stringify({ error: busy }), contentType: 'application/json' }),
    );
    await page.getByRole('button', { name: 'Count again' }).click();
    await page.getByText(busy).waitFor();
    await page.getByText(/^What is shown was counted at/).waitFor();
    await row(page, 'CC6.1').getByText('Shown with gaps').waitFor();
    await picture(page, 'coverage-failed');
    expect(await barriersOf(page)).toEqual([]);
    await page.unroute(COVERAGE);
    await goTo(page, '/coverage?range=custom&from=2020-01-01T00:00Z&to=2020-01-03T00:00Z');
    await page.getByRole('heading', { name: 'No events in this time' }).waitFor();
    await picture(page, 'coverage-empty');
    expect(await barriersOf(page)).toEqual([]);
    await goTo(page, '/coverage?framework=nydfs');
    await row(page, '500.14(a)(1)').getByText('Needs your declaration').waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await picture(page, 'coverage-narrow');
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBe(360);
    await page.context().close();
    const dark = await openConsole(browser, instance.bootstrap, '/coverage?by=agent', { colorScheme: 'dark' });
    await row(dark.page, 'CC6.1').getByText('Shown with gaps').waitFor();
    await picture(dark.page, 'coverage-dark');
    expect(await barriersOf(dark.page)).toEqual([]);
    await dark.page.context().close();
  }, 120_000);
});
