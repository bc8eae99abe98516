import type { Browser, Page } from 'playwright-core';
import type { Instance } from '../instance/instance.js';
import { barriersOf, openConsole, picture, unexpected } from './console-page.js';

const HOSTILE = '<img src=x onerror="window.hit=1">\u202Egnp';
const NARROW = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

/** Links to a report, in the console of an instance that has issued one. */
export function sharingCases(get: () => { readonly instance: Instance; readonly browser: Browser }): void {
  const openReport = async (options: Parameters<Browser['newContext']>[0]) => {
    const { instance, browser } = get();
    const opened = await openConsole(browser, instance.bootstrap, '/reports', options);
    await opened.page.getByRole('link', { name: 'Open', exact: true }).first().click();
    await opened.page
      .getByText('No links yet')
      .or(opened.page.getByRole('row', { name: /onerror/ }))
      .waitFor();
    return opened;
  };
  const make = async (page: Page): Promise<string> => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('For whom').fill(HOSTILE);
    await dialog.getByLabel('Valid for').selectOption('30 days');
    await dialog.getByRole('button', { name: 'Make link' }).click();
    await dialog.getByRole('button', { name: 'Show' }).click();
    const link = (await dialog.locator('code').innerText()).trim();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    return link;
  };

  it('share a report by a link that is shown once, count its fetches, and revoke it', async () => {
    const { instance } = get();
    const narrow = await openReport(NARROW);
    await narrow.page.getByRole('button', { name: 'Share', exact: true }).click();
    await narrow.page.getByRole('dialog').waitFor();
    await picture(narrow.page, 'report-share-narrow');
    expect(await barriersOf(narrow.page)).toEqual([]);
    const link = await make(narrow.page);
    expect(link).toMatch(/\/v1\/shared\/[\w-]{43}$/);
    expect(await narrow.page.content()).not.toContain(link);
    await picture(narrow.page, 'report-links-narrow');
    expect(await barriersOf(narrow.page)).toEqual([]);
    expect(unexpected(narrow.watched)).toEqual([]);
    await narrow.page.context().close();

    const read = () => instance.request('GET', new URL(link).pathname);
    expect((await read()).status).toBe(200);
    const { page, watched } = await openReport({});
    const row = page.getByRole('row', { name: /onerror/ });
    const [name, ends, fetches] = await row.getByRole('cell').allInnerTexts();
    expect(name).toContain(`JSON, made by ${instance.bootstrap.email}`);
    expect(ends).toMatch(/^\d{4}-/);
    expect(fetches).toMatch(/^once\s+last at \d{4}-/);
    const box = await row.getByRole('button', { name: 'Revoke' }).boundingBox();
    expect(box!.x + box!.width).toBeLessThan(1280);
    await picture(page, 'report-links');
    expect(await barriersOf(page)).toEqual([]);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    expect((await read()).status).toBe(404);
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);
}
