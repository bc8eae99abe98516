import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import type { Instance } from '../instance/instance.js';
import { barriersOf, openConsole, picture, unexpected } from './console-page.js';

const HOSTILE = '<img src=x onerror="window.hit=1">\u202Egnp';
const NARROW = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
const PLACE = '/settings/legal-holds';
const PASSWORD = 'a password that is long enough';

/** Legal holds in the console of an instance that has recorded an event. */
export function holdCases(
  get: () => { readonly instance: Instance; readonly browser: Browser; readonly eventId: string },
): void {
  it('place a legal hold by keyboard, refuse an erasure by its name, and release it with a reason', async () => {
    const { instance, browser, eventId } = get();
    const headers = await instance.session();
    const erase = () => instance.request('DELETE', `/v1/events/${eventId}/content`, { headers });
    const narrow = await openConsole(browser, instance.bootstrap, PLACE, NARROW);
    await narrow.page.getByText('No legal holds').waitFor();
    await narrow.page.getByRole('button', { name: 'Place hold' }).focus();
    await narrow.page.keyboard.press('Enter');
    const dialog = narrow.page.getByRole('dialog');
    await dialog.getByLabel('Name').focus();
    await narrow.page.keyboard.type(HOSTILE);
    await narrow.page.keyboard.press('Tab');
    await narrow.page.keyboard.type('counsel asked for it');
    await picture(narrow.page, 'legal-hold-new-narrow');
    expect(await barriersOf(narrow.page)).toEqual([]);
    await narrow.page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await narrow.page.getByText('in force', { exact: true }).waitFor();
    await picture(narrow.page, 'legal-holds-narrow');
    expect(await narrow.page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
    expect(await barriersOf(narrow.page)).toEqual([]);
    expect(unexpected(narrow.watched)).toEqual([]);
    await narrow.page.context().close();
    const refused = await erase();
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('the content is held by')]);

    const { page, watched } = await openConsole(browser, instance.bootstrap, PLACE);
    const row = page.getByRole('row', { name: /onerror/ });
    await row.waitFor();
    const [name, keeps, state, placed] = await row.getByRole('cell').allInnerTexts();
    expect(name).toContain('counsel asked for it');
    expect([keeps, state]).toEqual(['Everything of the account', 'in force']);
    expect(placed).toContain(`by ${instance.bootstrap.email}`);
    const box = await row.getByRole('button', { name: 'Release' }).boundingBox();
    expect(box!.x + box!.width).toBeLessThan(1280);
    await row.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('the case is closed');
    await picture(page, 'legal-hold-release');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await row.getByText('the case is closed').waitFor();
    expect(await row.getByRole('button', { name: 'Release' }).count()).toBe(0);
    await picture(page, 'legal-holds');
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('show legal holds to an auditor, who cannot change them, and not to a member', async () => {
    const { instance, browser } = get();
    const headers = await instance.session();
    for (const role of ['auditor', 'member'] as const) {
      const email = `${role}-${randomUUID()}@example.com`;
      const body = { email, role, password: PASSWORD };
      expect((await instance.request('POST', '/v1/users', { headers, body })).status).toBe(201);
      const { page, watched } = await openConsole(browser, { ...instance.bootstrap, email, password: PASSWORD }, PLACE);
      if (role === 'member') await page.getByText('Legal holds are read by admins and auditors').waitFor();
      else
        await page
          .getByRole('row', { name: /onerror/ })
          .getByText('released', { exact: true })
          .waitFor();
      expect(await page.getByRole('button', { name: /Place hold|Release/ }).count()).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
      expect(unexpected(watched)).toEqual([]);
      await page.context().close();
    }
  }, 120_000);
}
