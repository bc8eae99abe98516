import type { Browser } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, openConsole, picture, unexpected } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const HOSTILE = '<img src=x onerror="window.hit=1">\u202Egnp';

inBrowser(`approvals in the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    const headers = await instance.session();
    const { agentId } = instance.bootstrap;
    const rule = { id: 'large-refund', effect: 'approve', tools: ['refund'], args: { amount: { min: 100 } } };
    const limit = { id: 'refunds', tools: ['refund'], sum: 'args.amount', max_sum: '2000', window_seconds: 86_400 };
    const ofRun = { id: 'of-run', tools: ['transfer'], key: "session + ' ' + principal", max_sum: '3000' };
    const body = {
      store_payload: true,
      limits: [limit, { ...limit, ...ofRun }],
      rules: [
        { ...rule, ignore: ['payload.note'], severity: 'P2', reason: 'A person approves refunds.' },
        { ...rule, id: 'large-transfer', tools: ['transfer'], severity: 'P2', reason: 'A person approves transfers.' },
      ],
    };
    const saved = await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers, body });
    expect(saved.status).toBe(200);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const metadata = { session: 'ticket-7' };
  const refund = (amount: number, note: string) =>
    instance.check({ type: 'tool_call', toolName: 'refund', payload: { amount, note }, metadata });

  /** Asks for an approval. @returns its id */
  async function asked(amount: number, answered = refund(amount, HOSTILE)): Promise<string> {
    const { json } = await answered;
    const answer = json as { allowed: boolean; code: string; approval_id: string; approval_url: string };
    expect(answer).toMatchObject({ allowed: false, code: 'approval_pending' });
    expect(answer.approval_url).toBe(`${instance.bootstrap.baseUrl}/console#approvals/${answer.approval_id}`);
    const headers = await instance.session();
    return eventually('the approval is listed', 60, async () => {
      const { status } = await instance.request('GET', `/v1/approvals/${answer.approval_id}`, { headers });
      return status === 200 ? answer.approval_id : null;
    });
  }

  it('approve an action by keyboard alone, once, from the address of the denial', async () => {
    await refund(40, 'small');
    await instance.check({ type: 'tool_call', toolName: 'of_another_session', payload: {} });
    const id = await asked(500);
    const { page, watched } = await openConsole(browser, instance.bootstrap, `approvals/${id}`);
    await page.getByText('"amount": 500').waitFor();
    await page.getByText('large-refund').first().waitFor();
    await page.getByText('40 of 2000 used; this action needs 500.').waitFor();
    const history = page.getByRole('group', { name: 'Events before the request, newest first' });
    await history.getByRole('link', { name: 'tool_call refund' }).waitFor();
    expect(await history.getByText('of_another_session').count()).toBe(0);
    expect(await history.getByRole('link').count()).toBe(1);
    await picture(page, 'approval');
    expect(await barriersOf(page)).toEqual([]);
    await page.locator('#content .page').focus();
    await page.keyboard.press('a');
    await page.getByRole('dialog').waitFor();
    await picture(page, 'approval-decide');
    await page.getByLabel('Comment').fill('Called the customer');
    await page.keyboard.press('Enter');
    await page.getByText('Called the customer').waitFor();
    await page.getByText('Approved', { exact: true }).waitFor();
    await eventually('the same refund passes', 30, async () => {
      const { json } = await refund(500, 'another note, which the rule ignores');
      return (json as { allowed: boolean }).allowed ? true : null;
    });
    expect((await refund(500, HOSTILE)).json).toMatchObject({ allowed: false });
    await page
      .getByText('Used', { exact: true })
      .waitFor({ timeout: 60_000 })
      .catch(() => page.reload());
    await page.getByText('Used', { exact: true }).waitFor();
    await page.getByText('What is left of budgets').waitFor({ state: 'hidden' });
    await picture(page, 'approval-used');
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('deny an action from the list, on a phone', async () => {
    const id = await asked(900);
    const options = { viewport: { width: 360, height: 740 } };
    const { page, watched } = await openConsole(browser, instance.bootstrap, '/approvals', options);
    await page.locator(`a[href="#/approvals/${id}"]`).waitFor();
    await picture(page, 'approvals-360');
    expect(await barriersOf(page)).toEqual([]);
    await page.locator(`a[href="#/approvals/${id}"]`).click();
    await page.getByRole('heading', { name: 'Decisions' }).waitFor();
    await picture(page, 'approval-360');
    await page.getByText('"amount": 900').waitFor();
    await page.getByText('540 of 2000 used; this action needs 900.').waitFor();
    const history = page.getByRole('group', { name: 'Events before the request, newest first' });
    await history.getByRole('link').first().scrollIntoViewIfNeeded();
    await picture(page, 'approval-360-history');
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied', { exact: true }).waitFor();
    await eventually('the refund stays denied', 30, async () => {
      const { json } = await refund(900, HOSTILE);
      return (json as { code?: string }).code === 'approval_denied' ? true : null;
    });
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('show the budgets of a session and a principal by header, only while the action may be performed', async () => {
    const headers = { 'x-countersign-session': 'run-9', 'x-countersign-principal': 'ada' };
    const transfer = (amount: number) =>
      instance.check({ type: 'tool_call', toolName: 'transfer', payload: { amount }, metadata }, { headers });
    expect((await transfer(30)).json).toMatchObject({ allowed: true });
    const id = await asked(600, transfer(600));
    const { page, watched } = await openConsole(browser, instance.bootstrap, `approvals/${id}`);
    await page.getByText('30 of 3000 used; this action needs 600.').waitFor();
    expect(await page.getByText('The recorded check could not be read').count()).toBe(0);
    await page.getByText('Events whose session came by header or token alone are not found.').waitFor();
    expect(unexpected(watched)).toEqual([]);

    const gone = { status: 404, contentType: 'application/json', body: '{"error":"not found"}' };
    await page.route('**/v1/events/*', (route) => route.fulfill(gone));
    await page.reload();
    await page.getByText('The recorded check could not be read').waitFor();
    await page.getByText('0 of 3000 used; this action needs 600.', { exact: true }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await picture(page, 'approval-check-unread');

    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Denied', { exact: true }).waitFor();
    await page.getByText('What is left of budgets').waitFor({ state: 'hidden' });
    await page.context().close();
  }, 120_000);

  it('say what is not there, and what could not be read', async () => {
    const other = await instance.check({ type: 'tool_call', toolName: 'refund', payload: { amount: 700 } });
    const id = (other.json as { approval_id: string }).approval_id;
    const headers = await instance.session();
    await eventually('the approval is listed', 60, async () =>
      (await instance.request('GET', `/v1/approvals/${id}`, { headers })).status === 200 ? true : null,
    );
    const { page } = await openConsole(browser, instance.bootstrap, '/approvals');
    const broken = { status: 503, contentType: 'application/json', body: '{"error":"not now"}' };
    await page.route('**/explain', (route) => route.fulfill(broken));
    await page.route('**/v1/events?*', (route) => route.fulfill(broken));
    await page.locator(`a[href="#/approvals/${id}"]`).click();
    await page.getByText('What is left could not be read').waitFor();
    await page.getByText('The events before the request could not be read').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.unroute('**/explain');
    await page.unroute('**/v1/events?*');
    for (let left = 2; left > 0; left -= 1) {
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page
        .getByRole('button', { name: 'Try again' })
        .nth(left - 1)
        .waitFor({ state: 'hidden' });
    }
    await page.getByText('The action names no session').waitFor();
    await page.getByText(/of 2000 used; this action needs 700/).waitFor();
    await page.context().close();
  }, 120_000);

  it('say what fills the screen where nothing waits', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/approvals?state=expired');
    await page.getByText('No approvals in this state').waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await page.getByRole('link', { name: 'Open', exact: true }).first().waitFor();
    await picture(page, 'approvals');
    expect(await barriersOf(page)).toEqual([]);
    await page.context().close();
  }, 120_000);
});
