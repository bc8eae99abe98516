import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, goTo, openConsole, picture, unexpected } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const NARROW = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
const NAME = 'Order desk ‮gpj.exe';
const SHOWN = 'Order desk ⟨U+202E⟩gpj.exe';
const PASSWORD = 'a password that is long enough';

inBrowser(`the page of one agent${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let headers: Record<string, string>;
  let agentId: string;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    headers = await instance.session();
    agentId = await newAgent(instance, headers, { off_limits_actions: ['wire'] });
    const body = { name: NAME, type: 'assistant', purpose: 'answers questions about orders' };
    expect((await instance.request('PATCH', `/v1/agents/${agentId}`, { headers, body })).status).toBe(200);
    for (let n = 0; n < 12; n += 1) await check(n % 4 === 3 ? 'wire' : 'pay');
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const check = (type: string) => instance.check({ type }, { agentId });
  const total = (page: Page, name: string, count: string): Promise<void> =>
    page
      .locator('.totals > div', { hasText: name })
      .getByRole('link', { name: count, exact: true })
      .waitFor({ timeout: 30_000 });
  const rows = (page: Page) => page.getByRole('grid', { name: 'Events' }).locator('[data-index]');

  it('shows its state, its checks of a day and its newest events, and follows a new check without a reload', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, `/agents/${agentId}`);
    await page.getByRole('heading', { name: SHOWN, level: 1 }).waitFor();
    await page.getByText('Active: its profile decides each of its checks.').waitFor();
    await page.getByText('answers questions about orders', { exact: true }).waitFor();
    await total(page, 'Checks', '12');
    await total(page, 'Denied', '3');
    await rows(page).nth(9).waitFor();
    expect(await rows(page).count()).toBe(10);
    await picture(page, 'agent-overview');
    expect(await barriersOf(page)).toEqual([]);
    const newest = await rows(page).first().innerText();
    expect((await check('wire')).json).toMatchObject({ allowed: false });
    await total(page, 'Denied', '4');
    await eventually('the new check on top', 30, async () =>
      (await rows(page).first().innerText()) === newest ? null : true,
    );
    expect(await rows(page).first().innerText()).toContain('denied');
    expect(await rows(page).count()).toBe(10);
    // By keyboard: a row opens its event, a link is followed, and digits go to the parts.
    await rows(page).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Event', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'All events of the agent' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/events?agent=${agentId}`);
    await page.goBack();
    await page.getByRole('heading', { name: SHOWN, level: 1 }).waitFor();
    await page.keyboard.press('2');
    await page.getByLabel('Blocked APIs and tools').waitFor();
    await page.getByRole('heading', { name: SHOWN, level: 1 }).click();
    await page.keyboard.press('1');
    await total(page, 'Denied', '4');
    const denied = page.locator('.totals > div', { hasText: 'Denied' }).getByRole('link');
    await denied.click();
    await page.getByText('4 events', { exact: true }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('says what failed, and reads it again', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/settings');
    await page.route('**/v1/events?*', (route) => route.fulfill({ status: 500, json: { error: 'internal error' } }));
    await goTo(page, `/agents/${agentId}`);
    const alert = page.getByRole('alert').filter({ hasText: 'Events could not be read' });
    await alert.waitFor();
    await page.unroute('**/v1/events?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await rows(page).first().waitFor();
    await page.context().close();
  }, 60_000);

  it('freezes, unfreezes, and deactivates once the name is typed, as checks show', async () => {
    const id = await newAgent(instance, headers);
    const name = 'Old shop';
    await instance.request('PATCH', `/v1/agents/${id}`, { headers, body: { name } });
    const answer = async (): Promise<number> => (await instance.check({ type: 'pay' }, { agentId: id })).status;
    const { page, watched } = await openConsole(browser, instance.bootstrap, `/agents/${id}`, NARROW);
    const dialog = page.getByRole('dialog');
    const state = (text: string): Promise<void> => page.locator('.badge', { hasText: text }).first().waitFor();
    await state('active');
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await dialog.getByRole('button', { name: 'Freeze' }).click();
    await page.getByText('Frozen: each of its checks is refused', { exact: false }).waitFor();
    expect(await answer()).toBe(403);
    await total(page, 'Frozen', '1');
    await picture(page, 'agent-frozen-narrow-dark');
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Unfreeze', exact: true }).click();
    await dialog.getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByText('Active: its profile', { exact: false }).waitFor();
    expect(await answer()).toBe(200);
    // By keyboard, with the wrong name first.
    await page.getByRole('button', { name: 'Deactivate…' }).focus();
    await page.keyboard.press('Enter');
    const typed = dialog.getByLabel('Type the name of the agent');
    await typed.focus();
    await page.keyboard.type('Old sho');
    await page.keyboard.press('Enter');
    await picture(page, 'agent-deactivate-narrow-dark');
    expect(await barriersOf(page)).toEqual([]);
    const act = dialog.getByRole('button', { name: 'Deactivate for good' });
    expect(await act.getAttribute('aria-disabled')).toBe('true');
    expect(await answer()).toBe(200);
    await page.keyboard.type('p');
    await page.keyboard.press('Tab');
    await page.keyboard.type('replaced');
    await page.keyboard.press('Enter');
    await page.getByText('Deactivated for good', { exact: false }).waitFor();
    await state('inactive');
    expect(await page.getByRole('button', { name: /Deactivate|Freeze/u }).count()).toBe(0);
    expect(await answer()).toBe(404);
    await goTo(page, '/agents?status=inactive');
    await page.getByRole('link', { name, exact: true }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('shows the windows in which its events are anchored, as the API lists them', async () => {
    const { page, watched } = await openConsole(browser, instance.bootstrap, `/agents/${agentId}/proofs`);
    const path = `/v1/agents/${agentId}/windows`;
    const windows = await eventually('a window of the agent', 60, async () => {
      const { json } = await instance.request('GET', path, { headers });
      const found = (json as { readonly windows: readonly Record<string, string | number>[] }).windows;
      return found.length > 0 ? found : null;
    });
    const [newest = {}] = windows;
    const row = page.getByRole('group', { name: 'Windows' }).locator('tbody tr', { hasText: 'Copy root' }).first();
    await row.waitFor({ timeout: 30_000 });
    const first = String(newest['merkle_root']).slice(0, 12);
    const same = page.locator('tbody tr', { hasText: first });
    await same.waitFor({ timeout: 30_000 });
    const text = await same.innerText();
    for (const part of [
      `${String(newest['firstSequence'])} – ${String(newest['lastSequence'])}`,
      String(newest['chain_tx_signature']).slice(0, 12),
      Number(newest['chain_block_height']).toLocaleString('en'),
    ]) {
      expect(text).toContain(part);
    }
    await page.getByText('No gap', { exact: true }).waitFor();
    expect(await page.locator('.badge.bad').count()).toBe(0);
    await picture(page, 'agent-proofs');
    expect(await barriersOf(page)).toEqual([]);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it.each([
    ['wide', {}],
    ['narrow and dark', NARROW],
  ] as const)(
    'shows an injected gap among 86,400 windows, of which few are in the document: %s',
    async (what, options) => {
      const { page, watched } = await openConsole(browser, instance.bootstrap, '/agents', options);
      const COUNT = 86_400;
      const gap = { first: 86_371, last: 86_373 };
      // One number a window, but for three that are in none.
      const all = Array.from({ length: COUNT }, (_, n) => COUNT - n).filter((n) => n < gap.first || n > gap.last);
      const at = '2026-03-01T00:00:00.000Z';
      await page.route(/\/windows\?/u, (route) => {
        const { searchParams: asked } = new URL(route.request().url());
        const before = Number(asked.get('before') ?? Infinity);
        const shown = all.filter((n) => n < before).slice(0, Number(asked.get('limit')));
        const windows = shown.map((n) => ({
          ...{
            merkle_root: n.toString(16).padStart(64, '0'),
            chain_tx_signature: `signature${n}`,
            chain_block_height: n,
          },
          ...{ anchored_at: at, window_start: at, window_end: at, event_count: 1, firstSequence: n, lastSequence: n },
        }));
        return route.fulfill({ json: { windows, limit: windows.length, next: shown.at(-1) ?? null } });
      });
      const counted = { agentId, first: 1, last: COUNT, stored: COUNT, windows: all.length, anchoredThrough: COUNT };
      await page.route(/\/completeness\?/u, (route) =>
        route.fulfill({ json: { agents: [{ ...counted, breaks: [gap] }], total: 1, limit: 10, offset: 0 } }),
      );
      await goTo(page, `/agents/${agentId}/proofs`);
      const found = page.getByText('86,371 to 86,373 in no window', { exact: true });
      await found.nth(1).waitFor();
      expect(await found.count()).toBe(2);
      const row = page.locator('tbody tr', { has: found });
      expect(await row.innerText()).toContain('86,374 – 86,374');
      expect(await page.locator('tbody tr').count()).toBe(50);
      await page.getByRole('img', { name: '1 to 86,400, anchored to 86,400, 1 gap' }).waitFor();
      await picture(page, `agent-gap-${what.replaceAll(' ', '-')}`);
      expect(await barriersOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'Older windows' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('tbody tr', { hasText: '86,347 – 86,347' }).waitFor();
      expect(new URL(page.url()).hash).toBe(`#/agents/${agentId}/proofs?before=86348`);
      expect(await page.locator('tbody tr').count()).toBe(50);
      expect(await found.count()).toBe(1);
      await goTo(page, `/agents/${agentId}/proofs?before=3`);
      await page.locator('tbody tr').nth(2).waitFor({ state: 'detached' });
      expect(await page.locator('tbody tr').count()).toBe(2);
      expect(await page.getByRole('link', { name: 'Older windows' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Newest windows' }).click();
      await found.nth(1).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
      expect(unexpected(watched)).toEqual([]);
      await page.context().close();
    },
    60_000,
  );

  it('lets an auditor read and change nothing', async () => {
    const email = `auditor-${randomUUID()}@example.com`;
    const user = { email, role: 'auditor', password: PASSWORD };
    expect((await instance.request('POST', '/v1/users', { headers, body: user })).status).toBe(201);
    const as = { ...instance.bootstrap, email, password: PASSWORD };
    const { page, watched } = await openConsole(browser, as, `/agents/${agentId}`);
    const deactivate = page.getByRole('button', { name: 'Deactivate…' });
    await deactivate.waitFor();
    expect([await deactivate.getAttribute('aria-disabled'), await deactivate.getAttribute('title')]).toEqual([
      'true',
      expect.stringContaining('auditor'),
    ]);
    await deactivate.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 60_000);
});
