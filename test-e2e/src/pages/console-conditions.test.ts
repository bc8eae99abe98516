import type { Browser, Locator, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser } from './browser.js';
import { goTo, openConsole, picture, placesOf } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
/** A window of 1280 × 1024 pixels at 400 % (WCAG 2.2, success criterion 1.4.10). */
const AT_400_PERCENT = { viewport: { width: 320, height: 256 } } as const;

/** Names what is wider than its room: the document, and the parts of a screen that scroll by themselves. */
const BEYOND = `['html', '.page', '.list-side', '.panel']
  .flatMap((name) => [...document.querySelectorAll(name)].map((element) => [name, element]))
  .filter(([, { scrollWidth, clientWidth }]) => scrollWidth > clientWidth)
  .map(([name, { scrollWidth, clientWidth }]) => name + ' ' + scrollWidth + ' in ' + clientWidth)`;

inBrowser(`conditions of using the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let eventId: string;
  let places: ReturnType<typeof placesOf>;
  const auditor = { email: 'auditor@example.com', password: 'a password of an auditor' };
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    const headers = await instance.session();
    const { agentId } = instance.bootstrap;
    const body = { blocked_apis: ['evil.example'] };
    await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers, body });
    for (const url of ['https://evil.example/', 'https://api.example.com/', 'https://evil.example/again']) {
      expect((await instance.check({ type: 'http_call', url })).status).toBe(200);
    }
    eventId = await eventually('an anchored denial', 60, async () => {
      const { json } = await instance.request('GET', '/v1/events?outcome=denied', { headers });
      const { events } = json as { events: readonly { readonly eventId: string; readonly anchored: boolean }[] };
      return events.length === 2 ? (events.find(({ anchored }) => anchored)?.eventId ?? null) : null;
    });
    const created = await instance.request('POST', '/v1/users', { headers, body: { ...auditor, role: 'auditor' } });
    expect(created.status).toBe(201);
    places = placesOf(agentId, eventId);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const settle = (page: Page): Promise<void> =>
    page.locator('.late, .skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' });

  it('an auditor finds no enabled control whose request is refused', async () => {
    const { page } = await openConsole(browser, { ...instance.bootstrap, ...auditor }, '/events');
    let pressing = '';
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${pressing}: ${response.request().method()} ${response.url()}`);
    });
    let pressed = 0;
    for (const [place] of places) {
      await goTo(page, place);
      await settle(page);
      for (let n = 0; ; n += 1) {
        const control = page.locator('main button:visible').nth(n);
        if ((await control.count()) === 0) break;
        if (!(await isEnabled(control))) continue;
        pressing = `${place}, ${(await control.getAttribute('aria-label')) ?? (await control.innerText())}`;
        await control.click({ timeout: 5000 });
        pressed += 1;
        await confirmAll(page);
        // An open menu takes every press of the page.
        if ((await page.getByRole('menu').count()) > 0) await page.keyboard.press('Escape');
        if (!page.url().endsWith(`#${place}`)) await goTo(page, place);
        await settle(page);
      }
    }
    await page.context().close();
    expect(pressed).toBeGreaterThan(places.length);
    expect(refused).toEqual([]);
  }, 300_000);

  it('nothing is beyond the edge of a window at 400 %', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/events', AT_400_PERCENT);
    const wide: string[] = [];
    for (const [place, name] of places) {
      await goTo(page, place);
      await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
      await settle(page);
      const beyond = await page.evaluate<string[]>(BEYOND);
      wide.push(...beyond.map((what) => `${place}: ${what}`));
      await picture(page, `400-percent${place.replaceAll(/[/?=]/g, '-')}`);
    }
    await page.context().close();
    expect(wide).toEqual([]);
  }, 120_000);

  it('without a connection, shows and verifies what was read, says that it is offline, and recovers', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/agents');
    const lastScreen = await page.waitForResponse(/\/settings\.\w+\.js$/);
    await page.evaluate(`import(${JSON.stringify(lastScreen.url())}).then(() => true)`);
    await page.getByRole('link', { name: 'First agent' }).first().waitFor();
    await goTo(page, `/events/${eventId}`);
    await page.getByRole('heading', { name: 'Proof', exact: true }).waitFor();
    await settle(page);
    const verdict = page.getByText('Nothing is wrong, but not everything was checked');
    await page.keyboard.press('v');
    await verdict.waitFor();
    await page.context().setOffline(true);
    const unread = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/proof'));
    await page.keyboard.press('v');
    await unread;
    await verdict.waitFor();
    await page.getByText('The server could not be reached: this is the file as it was read at').waitFor();
    await picture(page, 'offline-event');
    await goTo(page, '/agents');
    await page.getByRole('link', { name: 'First agent' }).first().waitFor();
    await picture(page, 'offline-agents');
    await goTo(page, '/events');
    await page.getByText('The server cannot be reached.', { exact: false }).first().waitFor();
    await picture(page, 'offline-events');
    await goTo(page, '/reports');
    await page.getByText('The server cannot be reached.', { exact: false }).first().waitFor();
    await picture(page, 'offline-reports');
    const noConnection = page.getByText('No network connection', { exact: false });
    await noConnection.waitFor();
    await page.context().setOffline(false);
    await noConnection.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'No reports yet' }).waitFor();
    await page.context().close();
  }, 120_000);
});

async function isEnabled(control: Locator): Promise<boolean> {
  return (await control.isEnabled()) && (await control.getAttribute('aria-disabled')) !== 'true';
}

/** Fills the fields of a dialog that is open, presses its buttons, and closes it. */
async function confirmAll(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  if ((await dialog.count()) === 0) return;
  for (const field of await dialog.locator('input[type="text"]:visible, textarea:visible').all())
    await field.fill('a reason');
  for (const button of await dialog.getByRole('button').all()) {
    if (!(await button.isVisible()) || !(await isEnabled(button))) continue;
    await button.click({ timeout: 5000 }).catch(() => undefined);
    if ((await dialog.count()) === 0) return;
  }
  for (let n = 0; n < 3 && (await dialog.count()) > 0; n += 1) await page.keyboard.press('Escape');
}
