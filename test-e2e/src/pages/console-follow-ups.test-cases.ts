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

  it.each([
    ['wide', {}],
    ['narrow', NARROW],
  ] as const)(
    'follow up a group of the inbox with one note by keyboard: %s',
    async (width, options) => {
      const { instance, browser } = get();
      const headers = await instance.session();
      const url = `https://evil.example/group-${width}`;
      expect((await instance.check({ type: 'http_call', url })).json).toMatchObject({ allowed: false });
      const lateId = await eventually('the refused check is listed', 30, async () => {
        const { json } = await instance.request('GET', '/v1/events?outcome=denied&limit=1', { headers });
        const [newest] = (json as { events: { eventId: string; action: { url: string } | null }[] }).events;
        return newest?.action?.url === url ? newest.eventId : null;
      });
      const { page, watched } = await openConsole(browser, instance.bootstrap, '/alerts', options);
      const link = page.getByRole('link', { name: 'Follow up' }).first();
      await link.waitFor();
      await link.focus();
      await page.keyboard.press('Enter');
      const rows = page.getByRole('checkbox', { name: /^Select the check of/ });
      await rows.first().waitFor();
      const shown = await rows.count();
      expect(shown).toBeGreaterThan(1);
      await page.getByText('not followed up').first().waitFor();
      expect(await barriersOf(page)).toEqual([]);
      const act = page.getByRole('button', { name: 'Follow up', exact: true });
      expect(await act.getAttribute('aria-disabled')).toBe('true');
      await page.getByRole('button', { name: 'Select those without a follow-up' }).focus();
      await page.keyboard.press('Enter');
      expect(await rows.first().isChecked()).toBe(true);
      const all = page.getByLabel(`Select all ${shown} shown`);
      await all.focus();
      // It is checked where none had a follow-up: then it selects none first.
      if (await all.isChecked()) await page.keyboard.press('Space');
      await page.keyboard.press('Space');
      await page.getByText(`${shown} selected`, { exact: true }).waitFor();
      await picture(page, `refused-checks-${width}`);
      // One row is left out, by its own checkbox.
      await rows.last().focus();
      await page.keyboard.press('Space');
      await page.getByText(`${shown - 1} selected`, { exact: true }).waitFor();
      await act.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Note').focus();
      await page.keyboard.type(`${HOSTILE} of all, ${width}`);
      expect(await barriersOf(page)).toEqual([]);
      await picture(page, `refused-checks-note-${width}`);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      const count = shown - 1;
      await page.getByText(`${count} ${count === 1 ? 'check is' : 'checks are'} followed up.`).waitFor();
      await page
        .getByText(/^\d+ notes?$/)
        .first()
        .waitFor();
      await picture(page, `refused-checks-done-${width}`);
      expect(await barriersOf(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
      await eventually('the notes are counted', 30, async () => {
        const answer = await instance.request('GET', `/v1/alerts/follow-ups?eventIds=${lateId}`, { headers });
        return (answer.json as { checks: { count: number }[] }).checks[0]?.count === 1 ? true : null;
      });
      await page.reload();
      await page
        .getByText(/^\d+ notes?$/)
        .first()
        .waitFor();
      expect(await page.evaluate("'hit' in window")).toBe(false);
      expect(unexpected(watched)).toEqual([]);
      await page.context().close();
    },
    120_000,
  );
}
