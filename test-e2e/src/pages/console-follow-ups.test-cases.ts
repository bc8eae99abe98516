import type { Browser } from 'playwright-core';
import type { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { barriersOf, openConsole, picture, unexpected } from './console-page.js';

const HOSTILE = '<img src=x onerror="window.hit=1">\u202Egnp';
const NARROW = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

/** Notes about refused checks, in the console of an instance that has refused one. */
export function followUpCases(get: () => { readonly instance: Instance; readonly browser: Browser }): void {
  it('add a note to a refused check by keyboard, which is an event of its own', async () => {
    const { instance, browser } = get();
    const headers = await instance.session();
    const { json } = await instance.request('GET', '/v1/events?outcome=denied&limit=1', { headers });
    const { eventId } = (json as { events: { eventId: string }[] }).events[0]!;
    const { page, watched } = await openConsole(browser, instance.bootstrap, `/events/${eventId}`, NARROW);
    await page.getByText('No note yet.').waitFor();
    await page.getByRole('button', { name: 'Add note' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').focus();
    await page.keyboard.type(HOSTILE);
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('onerror').waitFor();
    await page.getByText('onerror').scrollIntoViewIfNeeded();
    await picture(page, 'event-follow-up-narrow');
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
    const recorded = await eventually('the note is listed', 30, async () => {
      const listed = await instance.request('GET', `/v1/alerts/follow-ups?eventId=${eventId}`, { headers });
      return (listed.json as { followUps: { id: string; note: string }[] }).followUps[0] ?? null;
    });
    expect(recorded.note).toBe(HOSTILE);
    await page.reload();
    await page.getByText('onerror').waitFor();
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);
}
