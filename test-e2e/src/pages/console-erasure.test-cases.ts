import type { Browser } from 'playwright-core';
import type { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { barriersOf, openConsole, picture, unexpected } from './console-page.js';

const HOSTILE = '<img src=x onerror="window.hit=1">\u202Egnp';
const NARROW = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

/** The erasure of an event's content, in the console of an instance. */
export function erasureCases(get: () => { readonly instance: Instance; readonly browser: Browser }): void {
  it('show which reports an erasure withdraws, and erase by keyboard for a reason that is recorded', async () => {
    const { instance, browser } = get();
    const headers = await instance.session();
    const checked = await instance.check({ type: 'tool_use', tool_name: 'crm.lookup' });
    const eventId = String(checked.headers['x-event-id']);
    await eventually('the event is listed', 30, async () =>
      (await instance.request('GET', `/v1/events/${eventId}`, { headers })).status === 200 ? true : null,
    );
    const exported = await instance.request('POST', '/v1/events/export-signed', {
      headers,
      body: {
        ...{ agentIds: [instance.bootstrap.agentId], format: 'json', frameworks: ['soc2'] },
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    expect(exported.status).toBe(200);
    const reportId = String(exported.headers['x-report-id']);

    const { page, watched } = await openConsole(browser, instance.bootstrap, `/events/${eventId}`, NARROW);
    await page.getByRole('button', { name: 'Erase content…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(reportId).waitFor();
    const erase = dialog.getByRole('button', { name: 'Erase', exact: true });
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').focus();
    await page.keyboard.type(HOSTILE);
    await picture(page, 'event-erase-narrow');
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached', timeout: 30_000 });
    await page.getByText('The content was erased.').waitFor();
    expect(await page.getByRole('button', { name: 'Erase content…' }).count()).toBe(0);
    expect((await instance.request('GET', `/v1/reports/${reportId}`, { headers })).status).toBe(404);

    const { json } = await instance.request('GET', '/v1/events?type=content.erased&limit=1', { headers });
    const [erasure] = (json as { events: { eventId: string; action: unknown }[] }).events;
    expect(erasure!.action).toMatchObject({ reason: HOSTILE });
    await page.goto(page.url().replace(eventId, erasure!.eventId));
    await page.getByText('onerror').first().waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);
}
