import type { Browser } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser, watch } from './browser.js';
import { barriersOf, goTo, openConsole, picture, unexpected } from './console-page.js';

const browserName = testedBrowser();
const FREE = 'Let an agent act';
const RULES = 'See what rules would do';
const inBrowser = browserName === null ? describe.skip : describe;

inBrowser(`the first steps in the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(browserName!);
    instance = await Instance.start();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  it('lead from a start to a verified report by clicks alone, and to a changed one that is refused', async () => {
    const link = /http:\/\/127\.0\.0\.1:\S+\/console#\/sign-in\/\S+/.exec(instance.output)?.[0] ?? '';
    const opened = Date.now();
    const page = await (await browser.newContext()).newPage();
    const watched = watch(page);
    await page.goto(link);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await picture(page, 'welcome');
    expect(await barriersOf(page)).toEqual([]);
    const step = (name: string) => page.locator('.card', { hasText: name });
    await page.getByRole('button', { name: 'Run the sample', exact: true }).click();
    await page.getByRole('progressbar').waitFor();
    const newest = step(FREE).getByRole('list', { name: 'Newest checks' });
    await newest.getByText('llm_response').first().waitFor();
    await step(FREE).getByText('24 checks, 0 denied').waitFor();
    await step(RULES).getByText('This draft would change 3 of 24 checks:').waitFor();
    await picture(page, 'welcome-rules');
    await page.getByRole('button', { name: 'Save the rules, and run the sample under them' }).click();
    await step(RULES).getByText('24 checks, 3 denied').waitFor();
    await page.getByRole('button', { name: 'Issue a report' }).click();
    await page.getByText('48 of 48 checks anchored').waitFor();
    await page.getByRole('button', { name: 'Verify it in this browser' }).click();
    const report = step('Issue a report, and verify it here');
    await report.getByText(/^(Verified|Nothing is wrong, but not everything was checked)$/).waitFor();
    const took = Date.now() - opened;
    await picture(page, 'welcome-verified');
    const verdict = await report.locator('.verdict').innerText();
    expect(verdict).toContain('48 same, 0 different');
    process.stdout.write(`from the link to a verified report: ${(took / 1000).toFixed(1)} s\n`);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Change one character' }).click();
    await report.getByText('Does not hold').waitFor();
    await picture(page, 'welcome-changed');
    expect(await page.getByRole('img', { name: 'Done' }).count()).toBe(4);
    const headers = await instance.session();
    const areRevoked = async (): Promise<readonly boolean[]> => {
      const { json } = await instance.request('GET', '/v1/api-keys', { headers });
      const { apiKeys } = json as {
        readonly apiKeys: readonly { readonly name: string; readonly revokedAt: unknown }[];
      };
      return apiKeys.filter(({ name }) => name === 'sample run').map(({ revokedAt }) => revokedAt !== null);
    };
    expect(await areRevoked()).toEqual([true, true]);
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('csn_live_');
    expect(unexpected(watched)).toEqual([]);
    await page.reload();
    await page.getByText('24 checks, 3 denied').waitFor();
    await page.getByLabel('Keep the agent acting').check();
    await step(FREE)
      .getByText(/^(?:2[5-9]|[3-9]\d) checks, 0 denied$/)
      .waitFor();
    await goTo(page, '/overview');
    const ended = 'the key of the agent that kept acting is revoked';
    await eventually(ended, 30, async () => ((await areRevoked()).join() === 'true,true,true' ? true : null));
    await goTo(page, '/welcome');
    await page.getByText('24 checks, 3 denied').waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await picture(page, 'welcome-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.context().close();
  }, 180_000);

  it('say what was interrupted and continue with the same agent, and are read by an auditor', async () => {
    const { page } = await openConsole(browser, instance.bootstrap, '/welcome', { colorScheme: 'dark' });
    const state = page.getByText(/^\d+ checks, 0 denied$/);
    const before = Number.parseInt(await state.innerText(), 10);
    let sent = 0;
    await page.route('**/v1/check', async (route) => {
      sent += 1;
      const body = JSON.stringify({ error: 'other checks come first: <b>try again</b>' });
      if (sent < 3) await route.continue();
      else await route.fulfill({ status: 503, contentType: 'application/json', body });
    });
    await page.getByRole('button', { name: 'Run it again', exact: true }).click();
    await page.getByText('The sample was interrupted').waitFor();
    await page.getByText('other checks come first: <b>try again</b>').waitFor();
    await page.getByText(`${before + 2} checks, 0 denied`).waitFor();
    await picture(page, 'welcome-failed-dark');
    expect(await barriersOf(page)).toEqual([]);
    await page.context().close();
    const headers = await instance.session();
    const auditor = { email: 'auditor@example.com', password: 'a password of an auditor' };
    await instance.request('POST', '/v1/users', { headers, body: { ...auditor, role: 'auditor' } });
    const opened = await openConsole(browser, { ...instance.bootstrap, ...auditor }, '/overview');
    await goTo(opened.page, '/welcome');
    const { page: read } = opened;
    await read.getByText('24 checks, 3 denied').waitFor();
    const buttons = ['Run it again', 'Run it again under the rules'].map((name) =>
      read.getByRole('button', { name, exact: true }),
    );
    for (const control of [...buttons, read.getByLabel('Keep the agent acting')]) {
      expect(await control.getAttribute('aria-disabled')).toBe('true');
      expect(await control.getAttribute('title')).toBe('Needs the role admin: your role is auditor');
    }
    await opened.page.context().close();
  }, 120_000);

  it('say in a sandbox that its windows are long and that it has no signed reports', async () => {
    const sandbox = { email: 'sandbox@example.com', password: 'a password of a sandbox' };
    const { status } = await instance.request('POST', '/v1/auth/register', {
      body: { ...sandbox, accountName: 'Trial' },
    });
    expect(status).toBe(201);
    const { page, watched } = await openConsole(browser, { ...instance.bootstrap, ...sandbox }, '/overview');
    await goTo(page, '/welcome');
    await page.getByText('its windows end every hour').waitFor();
    await page.getByText('signed reports need the plan core, scale or enterprise').waitFor();
    await page.getByRole('button', { name: 'All at once' }).click();
    await page.getByText('24 checks, 0 denied').waitFor();
    await page.getByText(/^\d+ of 24 checks anchored$/).waitFor();
    await picture(page, 'welcome-sandbox');
    expect(await page.getByRole('button', { name: 'Issue a report' }).count()).toBe(0);
    // The account has no agent but the sample's: one is made, and its first check is waited for.
    await page.getByRole('button', { name: 'Make an agent' }).click();
    await page.getByText('Waiting for the first check of this agent…').waitFor();
    await page.getByRole('button', { name: 'Make a key for this agent' }).click();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const snippet = await page.locator('.connect pre.code', { hasText: /csn_live_\w{40}/u }).innerText();
    const [, apiKey = ''] = /x-service-key: (csn_live_\w{40})/u.exec(snippet) ?? [];
    const [, body = '{}'] = /-d '(.*)'/u.exec(snippet) ?? [];
    const done = page.getByRole('img', { name: 'Done' });
    const before = await done.count();
    const check = { headers: { 'x-service-key': apiKey }, body: JSON.parse(body) as unknown };
    expect((await instance.request('POST', '/v1/check', check)).json).toEqual({ allowed: true });
    await page.getByText('There it is. Newest check: allowed,', { exact: false }).waitFor({ timeout: 30_000 });
    expect(await done.count()).toBe(before + 1);
    await picture(page, 'welcome-connected');
    expect(await barriersOf(page)).toEqual([]);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);
});
