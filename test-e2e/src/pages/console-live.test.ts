import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, goTo, openConsole, picture, unexpected } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const STREAM = '**/v1/events/stream';

inBrowser(`live updates and health in the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    const headers = await instance.session();
    const body = { blocked_apis: ['evil.example'] };
    await instance.request('PATCH', `/v1/agents/${instance.bootstrap.agentId}/profile`, { headers, body });
    for (let n = 0; n < 60; n += 1) await check(n);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const check = async (n: number, host = 'api.example.com'): Promise<void> => {
    const answer = await instance.check({ type: 'http_call', url: `https://${host}/${n}` });
    expect(answer.status).toBe(200);
  };
  const live = (page: Page): Promise<void> => page.locator('.feed.live').waitFor();
  const row = (page: Page, n: number, host = 'api.example.com') =>
    page.getByRole('row').filter({ hasText: `https://${host}/${n}` });

  it('show a check within a second of its answer, and where it is anchored, without a key or a click', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/events');
    await row(page, 59).first().waitFor();
    await live(page);
    await check(1001);
    const answered = performance.now();
    await row(page, 1001).waitFor();
    expect(performance.now() - answered).toBeLessThan(1500);
    await row(page, 1001).getByText('Anchored').waitFor({ timeout: 60_000 });
    await picture(page, 'events-live');
    expect(await barriersOf(page)).toEqual([]);
    await goTo(page, '/events?outcome=denied');
    await page.getByText('No event matches these filters').waitFor();
    await check(1002);
    await check(1003, 'evil.example');
    await page
      .getByRole('button', { name: /^1 new event/ })
      .or(row(page, 1003, 'evil.example'))
      .first()
      .waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('hold rows back while the reader is at a row, has scrolled, or has paused', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/events');
    await live(page);
    // The last check of the test before: later it would count as new.
    await row(page, 1003, 'evil.example').first().waitFor();
    await page.keyboard.press('.');
    await page.getByText('Paused', { exact: true }).waitFor();
    await check(2001);
    await page.getByRole('button', { name: '1 new event: show' }).waitFor();
    await picture(page, 'events-paused');
    expect(await row(page, 2001).count()).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('.');
    await row(page, 2001).waitFor();
    await page.locator('.grid-body').evaluate((body) => body.scrollTo({ top: 400 }));
    await check(2002);
    const button = page.getByRole('button', { name: '1 new event: show' });
    await button.waitFor();
    await button.click();
    await row(page, 2002).waitFor();
    await page.keyboard.press('j');
    await check(2003);
    await button.waitFor();
    await page.context().close();
  }, 120_000);

  it('count a denial on the overview and in the inbox without a reload', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/overview');
    await live(page);
    const denied = page.locator('.totals > div', { hasText: 'Denied' }).getByRole('link');
    const before = Number(await denied.innerText());
    await check(3001, 'evil.example');
    const answered = performance.now();
    await denied.filter({ hasText: new RegExp(`^${before + 1}$`) }).waitFor();
    expect(performance.now() - answered).toBeLessThan(4000);
    await page.locator('.open-count', { hasText: String(before + 1) }).waitFor();
    await picture(page, 'overview-live');
    expect(await barriersOf(page)).toEqual([]);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('say what failed, keep what was there, find new events by asking, and come back', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/overview');
    await page.route(STREAM, (route) =>
      route.fulfill({ status: 503, body: '{"error":"too many live feeds are open"}', contentType: 'application/json' }),
    );
    await page.reload();
    await goTo(page, '/events');
    await page.getByText('Live updates were lost.').waitFor();
    await page.getByText(/too many live feeds are open/).waitFor();
    await page.getByRole('row').nth(1).waitFor();
    await check(4001);
    await page.getByRole('button', { name: /new event/ }).waitFor();
    await picture(page, 'events-feed-lost');
    expect(await barriersOf(page)).toEqual([]);
    await page.unroute(STREAM);
    await live(page);
    await check(4002);
    await page.getByRole('button', { name: /new events?: show/ }).click();
    await row(page, 4002).waitFor();
    await page.context().close();
  }, 120_000);

  it('use one connection for all tabs, which another tab takes over', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/events');
    await live(page);
    const asked: string[] = [];
    page.context().on('request', (request) => {
      if (request.url().endsWith('/v1/events/stream')) asked.push(request.url());
    });
    const tabs = [await page.context().newPage(), await page.context().newPage()];
    for (const tab of tabs) {
      await tab.goto(`${instance.bootstrap.baseUrl}/console#/events`);
      await live(tab);
    }
    await check(5001);
    await Promise.all([page, ...tabs].map((tab) => row(tab, 5001).waitFor()));
    expect(asked).toEqual([]);
    await page.close();
    await tabs[0]!.waitForTimeout(1500);
    await check(5002);
    for (const tab of tabs) {
      await row(tab, 5002)
        .or(tab.getByRole('button', { name: /new event/ }))
        .first()
        .waitFor();
    }
    expect(asked).toHaveLength(1);
    await tabs[0]!.context().close();
  }, 120_000);
  it('say on the screen of health what is well, what is late, and which numbers are missing', async () => {
    const { agentId } = instance.bootstrap;
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/health');
    const state = (name: string, text: string): Promise<void> =>
      page.locator('.totals > div', { hasText: name }).getByText(text, { exact: true }).waitFor();
    await state('Decisions', 'Ready');
    await state('Anchoring', 'On time');
    await state('Live updates', 'Live');
    await page
      .getByRole('row', { name: /First agent/ })
      .getByText('No gap')
      .waitFor();
    await page.getByText(/they prove nothing against its operator/).waitFor();
    await picture(page, 'health');
    expect(await barriersOf(page)).toEqual([]);
    expect(unexpected(watched)).toEqual([]);
    const json = (body: unknown) => ({ contentType: 'application/json', body: JSON.stringify(body) });
    const agent = { agentId, first: 1, last: 5000, stored: 4999, windows: 30, anchoredThrough: 4200 };
    await page.route('**/v1/completeness*', (route) =>
      route.fulfill(json({ agents: [{ ...agent, breaks: [{ first: 70, last: 90 }] }], total: 1 })),
    );
    const oldest = { agentId, eventId: agentId, sequence: 4201, occurredAt: '2026-03-01T00:00:00.000Z' };
    const late = { oldestUnanchored: { ...oldest, dueBy: '2026-03-01T00:01:00.000Z' }, newestWindow: null };
    await page.route('**/v1/anchoring', (route) =>
      route.fulfill(json({ cadenceSeconds: 60, events: 5000, unanchored: 800, ...late })),
    );
    await page.route('**/readyz', (route) =>
      route.fulfill({ status: 503, ...json({ ready: false, waitingFor: ['anchoring: <b>the chain</b>'] }) }),
    );
    await page.reload();
    await state('Decisions', 'Not ready');
    await state('Anchoring', 'Late');
    await page.getByText('anchoring: <b>the chain</b>').waitFor();
    await page.getByText('70 to 90 in no window').waitFor();
    await page.getByText('1 missing', { exact: true }).waitFor();
    await picture(page, 'health-late');
    expect(await barriersOf(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    await picture(page, 'health-narrow');
    await page.context().close();
  }, 120_000);
});
