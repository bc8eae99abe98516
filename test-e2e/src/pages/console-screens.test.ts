import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser } from './browser.js';
import { secondFactorCases } from './console-second-factor.test-cases.js';
import { erasureCases } from './console-erasure.test-cases.js';
import { followUpCases } from './console-follow-ups.test-cases.js';
import { holdCases } from './console-legal-holds.test-cases.js';
import { oauthClientCases } from './console-oauth-clients.test-cases.js';
import { sharingCases } from './console-sharing.test-cases.js';
import { barriersOf, goTo, openConsole, picture, placesOf, unexpected } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const HOSTILE = '<img src=x onerror="window.hit=1">\u202Egnp';

interface Listed {
  readonly events: readonly { readonly eventId: string; readonly anchored: boolean }[];
}

inBrowser(`the screens of the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let eventId: string;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    const headers = await instance.session();
    const { agentId } = instance.bootstrap;
    const body = { blocked_apis: ['evil.example'] };
    await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers, body });
    for (let n = 0; n < 24; n += 1) {
      const url = n % 6 === 0 ? `https://evil.example/${n}` : 'https://api.example.com/';
      const answer = await instance.check({ type: 'http_call', url, metadata: { note: HOSTILE } });
      expect(answer.status).toBe(200);
    }
    // Denied, and anchored by the chain of the installation.
    eventId = await eventually('an anchored denial', 60, async () => {
      const { json } = await instance.request('GET', '/v1/events?outcome=denied', { headers });
      const { events } = json as Listed;
      return events.length === 4 ? (events.find(({ anchored }) => anchored)?.eventId ?? null) : null;
    });
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const open = (place: string, options: Parameters<Browser['newContext']>[0] = {}) =>
    openConsole(browser, instance.bootstrap, place, options);
  /** The name of a picture: the place without ids. */
  const named = (place: string): string => place.replace(/[\da-f]{8}-[\da-f-]{27}/, 'one').replaceAll(/[/?=]/g, '-');
  const fillRpc = (page: Page): Promise<void> =>
    page.getByLabel('Solana RPC address').fill(instance.bootstrap.solanaRpcUrl);

  it('verify an event in the browser, ask the chosen node alone, and refuse one that was changed', async () => {
    const { page, watched } = await open(`/events/${eventId}`);
    const proof = page.getByRole('heading', { name: 'Proof', exact: true });
    await proof.waitFor();
    await page.keyboard.press('v');
    await page.getByText('Nothing is wrong, but not everything was checked').waitFor();
    await fillRpc(page);
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    await picture(page, 'event');
    expect(await barriersOf(page)).toEqual([]);
    const own = new URL(instance.bootstrap.baseUrl).origin;
    expect([...watched.origins].filter((origin) => origin !== own)).toEqual(
      [new URL(instance.bootstrap.solanaRpcUrl).origin].filter((origin) => watched.origins.has(origin)),
    );
    const headers = await instance.session();
    const { text } = await instance.request('GET', `/v1/events/${eventId}/proof`, { headers });
    const body = text.replace(/("occurredAt":\s*"20)2/, '$13');
    expect(body).not.toBe(text);
    await page.route('**/v1/events/*/proof', (route) => route.fulfill({ body, contentType: 'application/json' }));
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('Does not hold').waitFor();
    await picture(page, 'event-changed');
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  describe('second factors', () => secondFactorCases(() => ({ instance, browser })));

  it('count checks as the list behind each number does', async () => {
    const { page, watched } = await open('/overview');
    const denied = page.locator('.totals > div', { hasText: 'Denied' }).getByRole('link');
    await denied.filter({ hasText: /^4$/ }).waitFor();
    await page.locator('.totals > div', { hasText: 'Checks' }).getByRole('link', { name: '24', exact: true }).waitFor();
    await page.getByRole('link', { name: 'First agent' }).waitFor();
    await picture(page, 'overview');
    expect(await barriersOf(page)).toEqual([]);
    await denied.click();
    await page.getByText('4 events', { exact: true }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('list what was denied, and close it only as far as it was shown', async () => {
    const { page, watched } = await open('/alerts');
    await page.getByRole('link', { name: 'Open', exact: true }).first().waitFor();
    await page.getByText('4 open', { exact: true }).first().waitFor();
    await picture(page, 'alerts');
    expect(await barriersOf(page)).toEqual([]);
    const late = await instance.check({ type: 'http_call', url: 'https://evil.example/late' });
    expect(late.status).toBe(200);
    const headers = await instance.session();
    await eventually('five open alerts', 60, async () => {
      const { json } = await instance.request('GET', '/v1/alerts/open-count', { headers });
      return (json as { openCount: number }).openCount === 5 ? true : null;
    });
    const note = '<img src=x onerror="window.hit=1">';
    const acknowledge = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Acknowledge' }).click();
      await page.getByRole('dialog').getByLabel('Note').fill(note);
      expect(await barriersOf(page)).toEqual([]);
      await picture(page, 'alerts-acknowledge');
      await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    };
    await acknowledge();
    await page.getByText('1 alert arrived after the list was read, and stays open.').waitFor();
    await page.getByText('1 open', { exact: true }).first().waitFor();
    await acknowledge();
    await page.getByRole('heading', { name: 'No open alerts' }).waitFor();
    await picture(page, 'alerts-empty');
    const { json } = await instance.request('GET', '/v1/events?type=account.alerts_acknowledged', { headers });
    const { events } = json as { events: { action: unknown }[] };
    expect(events.map(({ action }) => action)).toEqual([
      expect.objectContaining({ note }),
      expect.objectContaining({ note }),
    ]);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('judge a draft while it is typed, put it in force for the next check, explain, and restore a version', async () => {
    const { agentId } = instance.bootstrap;
    const { page, watched } = await open(`/agents/${agentId}/profile`);
    await page.getByLabel('Blocked APIs and tools').fill('evil.example\napi.example.com');
    await page.getByText(/^This draft would change 20 of \d+ checks:$/).waitFor({ timeout: 60_000 });
    await page.locator('.badge', { hasText: '20 to denied' }).waitFor();
    await picture(page, 'profile');
    expect(await barriersOf(page)).toEqual([]);
    const text = page.getByLabel('Profile as JSON');
    const draft = JSON.parse(await text.inputValue()) as { blocked_apis: string[] };
    expect(draft.blocked_apis).toEqual(['evil.example', 'api.example.com']);
    await text.fill('{');
    await page.locator('#profile-text-fault').waitFor();
    const rule = {
      id: 'refund-cap',
      effect: 'deny',
      tools: ['send_refund'],
      when: 'has(args.amount) && args.amount > 100',
    };
    const limits = [{ id: 'refunds', tools: ['send_refund'], max_count: 9, window_seconds: 86_400 }];
    await text.fill(JSON.stringify({ ...draft, blocked_apis: ['evil.example'], rules: [rule], limits }));
    await text.press('Control+s');
    await page.getByText('Saved as version 3.').waitFor();
    await page.getByText(/^refund-cap: deny/).waitFor();
    const refund = { type: 'tool_use', tool_name: 'send_refund', payload: { amount: 101 } };
    expect((await instance.check(refund)).json).toMatchObject({ allowed: false });
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('button', { name: 'Tool call' }).click();
    await page.getByText('denies', { exact: true }).waitFor();
    await page.getByText('args.amount > 100', { exact: false }).first().waitFor();
    await page.getByText('0 of 9 used; this action needs 1.').waitFor();
    await picture(page, 'playground');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Show Version 2' }).click();
    await page.getByRole('heading', { name: 'Version 2' }).waitFor();
    await picture(page, 'history');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore version 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore version 2' }).click();
    await page.getByText('The same as the version in force.').waitFor();
    expect((await instance.check(refund)).json).toMatchObject({ allowed: true });
    // Another person changes the profile meanwhile.
    await page.getByRole('link', { name: 'Profile', exact: true }).click();
    await page.getByLabel('Off-limits actions').fill('delete_*');
    const headers = await instance.session();
    const body = { allowed_data_scopes: [] as string[], freeze_on_violation: false, store_payload: true };
    await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers, body });
    await page.getByRole('button', { name: /^Replace version/ }).click();
    await page.getByRole('button', { name: 'Apply to the version in force' }).click();
    await page.getByRole('button', { name: 'Replace version 5' }).waitFor();
    await page.getByText(/^Changed: off_limits_actions\b/).waitFor();
    await page.getByRole('button', { name: 'Replace version 5' }).click();
    await page.getByText(/^Saved as version 6/).waitFor();
    const { json } = await instance.request('GET', `/v1/agents/${agentId}/profile`, { headers });
    expect(json).toMatchObject({ off_limits_actions: ['delete_*'], store_payload: true });
    const complaints = unexpected(watched).filter((one) => !/status of 409/.test(one));
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 180_000);

  it('add a destination, show its secret once, and tell that a test was not delivered', async () => {
    const { page, watched } = await open('/alerts/destinations');
    await page.getByRole('heading', { name: 'No destinations' }).waitFor();
    await picture(page, 'destinations-empty');
    await page.getByRole('button', { name: 'Add destination' }).click();
    await page.getByLabel('URL').fill('https://hooks.example.com/countersign');
    await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^(Not delivered|Delivered)/).waitFor({ timeout: 60_000 });
    await picture(page, 'destination-tested');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add destination' }).click();
    await page.getByText('It is shown only now.').waitFor();
    expect(await page.getByRole('dialog').innerText()).toContain('whsec_');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^(Not delivered|Delivered)/).waitFor({ timeout: 60_000 });
    await picture(page, 'destination');
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.content()).not.toContain('whsec_');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'No destinations' }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('issue a report, verify it in the page, refuse a changed copy, and publish it', async () => {
    const { page, watched } = await open('/reports');
    await page.getByRole('heading', { name: 'No reports yet' }).waitFor();
    await picture(page, 'reports-empty');
    await page.keyboard.press('n');
    await page.getByRole('dialog').waitFor();
    await picture(page, 'report-new');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel('Title').fill(HOSTILE);
    await page.getByRole('button', { name: 'Issue report' }).click();
    await page.getByText('In progress').waitFor();
    await picture(page, 'report-progress');
    await page.getByRole('heading', { name: 'Report', exact: true }).waitFor({ timeout: 60_000 });
    await goTo(page, '/reports');
    await page.getByText('<img src=x onerror="window.hit=1">⟨U+202E⟩gnp').waitFor();
    await picture(page, 'reports');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('heading', { name: 'Report', exact: true }).waitFor();
    await fillRpc(page);
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    const verdict = page.locator('.verdict-title');
    await verdict.waitFor({ timeout: 60_000 });
    expect(['Verified', 'Nothing is wrong, but not everything was checked']).toContain(await verdict.innerText());
    await picture(page, 'report');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Change one character and verify' }).click();
    await page.getByText('Does not hold').waitFor({ timeout: 60_000 });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download JSON' }).click(),
    ]);
    const issued = JSON.parse(readFileSync(await download.path(), 'utf8')) as { reportId: string; sha256: string };
    expect(page.url()).toContain(issued.reportId);
    await page.getByRole('button', { name: 'Make public' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make public' }).click();
    await page.getByRole('button', { name: 'Make private' }).waitFor();
    expect((await instance.request('GET', `/v1/reports/${issued.reportId}/public`)).status).toBe(200);
    await page.reload();
    await page.getByText(issued.sha256).waitFor();
    await goTo(page, '/reports/scope');
    await page.getByLabel('Classification (EU AI Act)').selectOption('not-high-risk');
    await page.getByRole('button', { name: 'Declare scope' }).click();
    await page.getByText('The scope is declared.').waitFor();
    await picture(page, 'scope');
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 180_000);

  sharingCases(() => ({ instance, browser }));
  oauthClientCases(() => ({ instance, browser }));
  holdCases(() => ({ instance, browser, eventId }));
  erasureCases(() => ({ instance, browser }));
  followUpCases(() => ({ instance, browser }));

  it('issue an API key that is shown once, revoke it, and invite a person, who sets the password', async () => {
    const { page, watched } = await open('/settings/api-keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByRole('button', { name: 'Issue key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show' }).click();
    const key = (await dialog.locator('code').innerText()).trim();
    expect(key).toMatch(/^csn_live_[0-9A-Za-z]{40}$/);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key);
    const check = () => instance.check({ type: 'a' }, { headers: { 'x-service-key': key } });
    expect((await check()).status).toBe(200);
    const row = page.getByRole('row', { name: /onerror/ });
    await picture(page, 'api-keys');
    expect(await barriersOf(page)).toEqual([]);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked').waitFor();
    expect((await check()).status).toBe(401);
    await goTo(page, '/settings/people');
    await page.getByRole('button', { name: 'Invite person' }).click();
    await page.getByLabel('E-mail address').fill('reader@example.com');
    await dialog.getByRole('button', { name: 'Invite person' }).click();
    await dialog.getByRole('button', { name: 'Show' }).click();
    const link = (await dialog.locator('code').innerText()).trim();
    expect(link).toMatch(/\/console#\/password\/[\w-]{64}$/);
    await picture(page, 'invitation');
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('(invited)').waitFor();
    await page.getByLabel('Role of reader@example.com').selectOption('member');
    await eventually('the role', 60, async () => {
      const headers = await instance.session();
      const { json } = await instance.request('GET', '/v1/users', { headers });
      const { users } = json as { users: { email: string; role: string }[] };
      return users.find(({ email }) => email === 'reader@example.com')?.role === 'member' ? true : null;
    });
    await picture(page, 'people');
    expect(await barriersOf(page)).toEqual([]);
    const invited = await page.context().newPage();
    await invited.goto(link);
    await invited.getByRole('heading', { name: 'Set your password' }).waitFor();
    expect(invited.url()).not.toContain('password');
    await invited.getByLabel('New password').fill('a password of a reader');
    await picture(invited, 'set-password');
    expect(await barriersOf(invited)).toEqual([]);
    await invited.getByRole('button', { name: 'Set password' }).click();
    await invited.getByText('The password is set.').waitFor();
    await invited.goto('about:blank');
    await invited.goto(link);
    await invited.getByLabel('New password').fill('a password of another');
    await invited.getByRole('button', { name: 'Set password' }).click();
    await invited.getByRole('alert').filter({ hasText: 'this link was used' }).waitFor();
    await invited.close();
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it.each([
    ['dark', { colorScheme: 'dark', viewport: { width: 1440, height: 900 } }],
    ['narrow', { viewport: { width: 360, height: 740 } }],
  ] as const)(
    'have no barrier and fit: %s',
    async (what, options) => {
      const { page, watched } = await open('/events', options);
      const found: Record<string, unknown> = {};
      const expected: Record<string, unknown> = {};
      for (const [place, name] of placesOf(instance.bootstrap.agentId, eventId)) {
        await goTo(page, place);
        await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
        // The live feed keeps the network busy.
        await page.locator('.late, .skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' });
        await picture(page, `${what}${named(place)}`);
        const wide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
        found[place] = [wide, await barriersOf(page)];
        expected[place] = [false, []];
      }
      expect(found).toEqual(expected);
      expect(unexpected(watched)).toEqual([]);
      await page.context().close();
    },
    180_000,
  );

  it('say what failed, and recover', async () => {
    const { agentId } = instance.bootstrap;
    const { page } = await open('/settings');
    for (const [place, asked, title] of [
      ['/overview', '**/v1/stats/checks?*', 'Counts could not be read'],
      ['/alerts', '**/v1/alerts/groups?*', 'Alerts could not be read'],
      ['/alerts/refused', '**/v1/alerts/follow-ups?*', 'Refused checks could not be read'],
      ['/alerts/destinations', '**/v1/alert-configs', 'Destinations could not be read'],
      ['/reports', '**/v1/reports?*', 'Reports could not be read'],
      [`/events/${eventId}`, `**/v1/events/${eventId}`, 'The event could not be read'],
      [`/agents/${agentId}`, '**/v1/stats/checks?*', 'Counts could not be read'],
      ['/settings/api-keys', '**/v1/api-keys?*', 'API keys could not be read'],
      ['/settings/legal-holds', '**/v1/legal-holds?*', 'Legal holds could not be read'],
    ] as const) {
      await page.route(asked, (route) =>
        route.fulfill({ status: 500, headers: { 'x-request-id': 'request-78' }, json: { error: 'internal error' } }),
      );
      await goTo(page, place);
      const alert = page.getByRole('alert');
      await alert.filter({ hasText: title }).waitFor();
      expect(await alert.first().innerText()).toContain('request-78');
      await picture(page, `failed${named(place)}`);
      await page.unroute(asked);
      await page.getByRole('button', { name: 'Try again' }).click();
      await alert.waitFor({ state: 'detached' });
    }
    await page.context().close();
  }, 120_000);

  it('draw both paths of an event, repeat it as a command, and try it in the playground', async () => {
    const headers = await instance.session();
    const checked = await instance.check({ type: 'tool_use', tool_name: "it's", payload: { text: HOSTILE } });
    const one = `/v1/events/${String(checked.headers['x-event-id'])}`;
    await eventually('an anchored check', 60, async () => {
      const { json } = await instance.request('GET', one, { headers });
      return (json as { readonly anchored?: boolean }).anchored === true ? true : null;
    });
    const { page, watched } = await open(one.slice('/v1'.length));
    await page.getByText('Both paths to the root').click();
    const { json } = await instance.request('GET', `${one}/proof`, { headers });
    const { proof } = json as { readonly proof: { readonly merkleRoot: string; readonly path: readonly string[] } };
    const path = page.locator('.path');
    await path.getByText(proof.merkleRoot).waitFor();
    for (const hash of proof.path) expect(await path.getByText(hash).count()).toBe(1);
    await picture(page, 'event-paths');
    expect(await barriersOf(page)).toEqual([]);
    await page.evaluate('navigator.clipboard.writeText = async (text) => { window.copied = text; }');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = String(await page.evaluate('window.copied'));
    const { stdout } = await promisify(execFile)('sh', ['-c', copied.replace('csn_live_…', instance.bootstrap.apiKey)]);
    expect(JSON.parse(stdout)).toHaveProperty('allowed');
    await page.getByRole('link', { name: 'Try it in the playground' }).click();
    const { json: event } = await instance.request('GET', one, { headers });
    const { action } = event as { readonly action: object };
    const sent = Object.fromEntries(Object.entries(action).filter(([, value]) => value !== null));
    await page.getByLabel('Action as JSON').waitFor();
    expect(JSON.parse(await page.getByLabel('Action as JSON').inputValue())).toEqual(sent);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);
});
