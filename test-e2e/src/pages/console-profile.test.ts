import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import type { Browser, Page } from 'playwright-core';
import { countersign } from '../instance/command.js';
import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser } from './browser.js';
import { barriersOf, goTo, openConsole, picture, unexpected } from './console-page.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const sample = (name: string): string =>
  fileURLToPath(new URL(`../../../services/standalone/sample/${name}`, import.meta.url));
const SAMPLE = sample('airline-policy.yaml');
const ACTIONS = sample('airline.json');
const NARROW = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
const WIDE = { viewport: { width: 1440, height: 1100 } } as const;

inBrowser(`profiles in the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let instance: Instance;
  let browser: Browser;
  let headers: Awaited<ReturnType<Instance['session']>>;
  beforeAll(async () => {
    instance = await Instance.start();
    browser = await openBrowser(browserName!);
    headers = await instance.session();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
  });

  const open = (place: string, options: Parameters<Browser['newContext']>[0] = WIDE) =>
    openConsole(browser, instance.bootstrap, place, options);
  const placeOf = (page: Page): string => new URL(page.url()).hash;
  const change = (id: string, body: object) => instance.request('PATCH', `/v1/agents/${id}/profile`, { headers, body });
  const fits = (page: Page): Promise<unknown> =>
    page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');

  it('are one draft as form and text, ask before they are left, and are kept within the page', async () => {
    const id = await newAgent(instance, headers);
    const { page, watched } = await open('/agents');
    await goTo(page, `/agents/${id}/profile`);
    const blocked = page.getByLabel('Blocked APIs and tools');
    await blocked.fill('evil.example');
    const text = page.getByLabel('Profile as JSON');
    expect(JSON.parse(await text.inputValue())).toMatchObject({ blocked_apis: ['evil.example'] });
    await text.fill((await text.inputValue()).replace('evil.example', 'worse.example'));
    expect(await blocked.inputValue()).toBe('worse.example');
    const dialog = page.getByRole('dialog');
    const stay = async (): Promise<void> => {
      await dialog.getByText('Leave without saving?').waitFor();
      expect(placeOf(page)).toBe(`#/agents/${id}/profile`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await page.getByRole('link', { name: 'Overview' }).click();
    await dialog.waitFor();
    await picture(page, 'profile-leaving');
    expect(await barriersOf(page)).toEqual([]);
    await stay();
    await page.goBack();
    await stay();
    await page.evaluate("window.location.hash = '#/health'");
    await stay();
    await page.getByRole('button', { name: /Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await stay();
    // A sign-out that fails leaves nothing.
    await page.route('**/v1/session', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 500, json: { error: 'no sign-out' } })
        : route.continue(),
    );
    await page.getByRole('button', { name: /Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await dialog.getByRole('button', { name: 'Discard changes and leave' }).click();
    await page.getByText('no sign-out').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.unroute('**/v1/session');
    await page.getByRole('link', { name: 'Overview' }).click();
    await stay();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'Agent', exact: false }).first().waitFor();
    await page.getByRole('link', { name: 'Profile', exact: true }).click();
    expect(await blocked.inputValue()).toBe('worse.example');
    await page.goBack();
    await page.goBack();
    await blocked.waitFor();
    expect(placeOf(page)).toBe(`#/agents/${id}/profile`);
    // The list, two steps back in the history from the part that was shown last.
    await page.goBack();
    await dialog.getByRole('button', { name: 'Discard changes and leave' }).click();
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
    expect(placeOf(page)).toBe('#/agents');
    await page.goForward();
    await blocked.waitFor();
    expect(await blocked.inputValue()).toBe('');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(unexpected(watched).filter((one) => !/status of 500/.test(one))).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('keep what is changed while they are saved, also from another part of the page', async () => {
    const id = await newAgent(instance, headers);
    const { page, watched } = await open(`/agents/${id}/profile`);
    await page.getByLabel('Blocked APIs and tools').fill('one.example');
    let answer = (): void => undefined;
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route(`**/v1/agents/${id}/profile`, async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Replace version 1' }).click();
    await page.getByLabel('Off-limits actions').fill('wire_*');
    await page.getByRole('link', { name: 'History' }).click();
    answer();
    await page.getByRole('link', { name: 'Profile', exact: true }).click();
    await page.getByRole('button', { name: 'Replace version 2' }).waitFor();
    expect(await page.getByLabel('Off-limits actions').inputValue()).toBe('wire_*');
    expect(await page.getByLabel('Blocked APIs and tools').inputValue()).toBe('one.example');
    await page.getByText(/^Changed: off_limits_actions\b/).waitFor();
    const text = page.getByLabel('Profile as JSON');
    await text.fill((await text.inputValue()).replace('{', '{"hidden\u202e": 1,'));
    const names = page.locator('.editor-actions .foreign', { hasText: 'off_limits_actions, hidden' });
    await names.waitFor();
    expect(await names.innerText()).not.toContain('\u202e');
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('show what lint finds while they are typed, by key at its place, also in YAML and on a narrow screen', async () => {
    const id = await newAgent(instance, headers);
    const { page, watched } = await open(`/agents/${id}/profile`);
    await page.getByText('No problems found.').waitFor();
    await page.getByLabel('Allowed APIs and tools').fill('api.example.com\n/srv');
    await page.getByLabel('Blocked APIs and tools').fill('*.example.com');
    await page.getByText('2 problems. F8 goes to the next one.').waitFor();
    const selected = (): Promise<unknown> =>
      page.evaluate(
        "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.getElementById('profile-text'))",
      );
    const shows = (what: string) =>
      eventually(`the selection of ${what}`, 30, async () => (String(await selected()).includes(what) ? true : null));
    await page.keyboard.press('F8');
    await shows('/srv');
    await page.keyboard.press('F8');
    await shows('api.example.com');
    await page.getByRole('button', { name: 'YAML', exact: true }).click();
    const text = page.getByLabel('Profile as YAML');
    expect(await text.inputValue()).toContain('allowed_apis:\n  - api.example.com\n  - /srv\n');
    await page.keyboard.press('F8');
    await shows('/srv');
    await picture(page, 'profile-findings');
    expect(await barriersOf(page)).toEqual([]);
    await text.fill('mode: enforce\nrefund_limit: 5\n');
    await page.getByText(/unknown field "refund_limit".*spending_limit/).waitFor();
    await page.getByText('refused', { exact: true }).waitFor();
    await text.fill('spending_limit: .inf\n');
    await page.getByText('A number has to be finite.').first().waitFor();
    expect(await page.getByLabel('Allowed APIs and tools').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('No changes', { exact: true }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
    const narrow = await open(`/agents/${id}/profile`, NARROW);
    await narrow.page.getByLabel('Allowed APIs and tools').fill('/srv');
    await narrow.page.getByText('1 problem. F8 goes to the next one.').waitFor();
    await picture(narrow.page, 'profile-narrow-dark');
    await narrow.page.keyboard.press('F8');
    await narrow.page.getByLabel('Profile as JSON').waitFor();
    await picture(narrow.page, 'profile-narrow-dark-text');
    expect(await fits(narrow.page)).toBe(true);
    expect(await barriersOf(narrow.page)).toEqual([]);
    await narrow.page.context().close();
  }, 120_000);

  it('that another person has changed are shown as they were, as they are in force, and as they are drafted', async () => {
    const id = await newAgent(instance, headers);
    const { page, watched } = await open(`/agents/${id}/profile`);
    await page.getByLabel('Off-limits actions').fill('delete_*');
    await page.getByLabel('Blocked APIs and tools').fill('mine.example');
    await change(id, { blocked_apis: ['theirs.example'], store_payload: true });
    await page.keyboard.press('Control+s');
    const table = page.getByRole('group', { name: 'Fields that were changed' });
    await table.waitFor();
    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/Version 1, before[^]*Version 2, in force[^]*Your draft/),
      expect.stringMatching(/blocked_apis\s*both[^]*theirs\.example[^]*mine\.example/),
      expect.stringMatching(/store_payload[^]*true[^]*false/),
      expect.stringMatching(/off_limits_actions[^]*delete_\*/),
    ]);
    await picture(page, 'profile-conflict');
    expect(await barriersOf(page)).toEqual([]);
    const apply = page.getByRole('button', { name: 'Apply to the version in force' });
    const text = page.getByLabel('Profile as JSON');
    const typed = await text.inputValue();
    await text.fill(`${typed},`);
    expect(await apply.getAttribute('aria-disabled')).toBe('true');
    expect(await apply.getAttribute('title')).toMatch(/^The text cannot be read: ./);
    await apply.click({ force: true });
    expect(await text.inputValue()).toBe(`${typed},`);
    await text.fill(typed);
    await apply.click();
    await page.getByRole('button', { name: 'Replace version 2' }).click();
    await page.getByText('Saved as version 3.').waitFor();
    const { json } = await instance.request('GET', `/v1/agents/${id}/profile`, { headers });
    expect(json).toMatchObject({
      blocked_apis: ['mine.example'],
      off_limits_actions: ['delete_*'],
      store_payload: true,
    });
    expect(unexpected(watched).filter((one) => !/status of 409/.test(one))).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('take a safety package as a difference, open a policy file, and run its cases under the draft', async () => {
    const id = await newAgent(instance, headers);
    const { page, watched } = await open(`/agents/${id}/profile`);
    await page.getByLabel('Package', { exact: true }).selectOption('payments');
    const table = page.getByRole('group', { name: 'Fields that the package changes' });
    await table.getByText('wire_transfer*', { exact: false }).waitFor();
    await picture(page, 'profile-package');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Apply to the draft' }).click();
    await page.getByText('The draft has all rules of this package.').waitFor();
    expect(await page.getByLabel('Spending limit, US dollars').inputValue()).toBe('500');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    const file = page.getByLabel('Open a policy file (YAML or JSON)');
    await file.setInputFiles(SAMPLE);
    await page.getByText('3 cases', { exact: true }).waitFor();
    expect(await page.getByLabel('Spending limit, US dollars').inputValue()).toBe('300');
    await page.getByRole('button', { name: 'Run cases' }).click();
    await page.getByText('3 passed, 0 failed').waitFor();
    await page.getByLabel('Off-limits actions').fill('');
    await page.getByText('The draft has changed since the cases were run.').waitFor();
    await page.getByRole('button', { name: 'Run cases' }).click();
    await page.getByText(/^never hands over to people: expected .*, came allowed/).waitFor();
    await picture(page, 'profile-cases');
    expect(await barriersOf(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a policy file' }).click(),
    ]);
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({
      profile: { spending_limit: 300, off_limits_actions: [] },
      cases: [{ title: 'looks a customer up' }, {}, {}],
    });
    await file.setInputFiles({ name: 'x.yaml', mimeType: 'text/plain', buffer: Buffer.from('mode: observe\n') });
    await page.getByText('A policy file has a profile or rules, and cases.').waitFor();
    let answer = (): void => undefined;
    const held = new Promise<void>((done) => {
      answer = done;
    });
    await page.route('**/profile/preview', async (route) => {
      if (route.request().postData()?.includes('"one.example"')) await held;
      await route.continue();
    });
    const rules = Buffer.from('rules: {blocked_apis: [one.example]}\n');
    const merging = page.waitForRequest((request) => request.postData()?.includes('"one.example"') === true);
    await file.setInputFiles({ name: 'rules.yaml', mimeType: 'text/plain', buffer: rules });
    await merging;
    await page.getByLabel('Off-limits actions').fill('wire_*');
    answer();
    await page.getByText('The draft was changed meanwhile: open the file again.').waitFor();
    expect(await page.getByLabel('Off-limits actions').inputValue()).toBe('wire_*');
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('have the figures of the dry run of the README, and an action is explained by both and becomes a case', async () => {
    const { agentId } = instance.bootstrap;
    const curl = await instance.check({ type: 'http_call', url: 'https://api.example.com/v1/orders' });
    expect(curl.json).toEqual({ allowed: true });
    const replayed = await countersign(['replay', ACTIONS, '--data-dir', instance.dataDir]);
    expect(replayed.code).toBe(0);
    const { page, watched } = await open(`/agents/${agentId}/profile`);
    await page.getByLabel('Open a policy file (YAML or JSON)').setInputFiles(SAMPLE);
    await page.getByText('This draft would change 3 of 25 checks:').waitFor({ timeout: 60_000 });
    await page.locator('.badge', { hasText: '3 to denied' }).waitFor();
    expect(await page.locator('.badge', { hasText: 'to allowed' }).count()).toBe(0);
    await picture(page, 'profile-airline');
    await page.getByRole('link', { name: 'Playground' }).click();
    const action = { type: 'tool_use', tool_name: 'transfer_to_human_agents' };
    await page.getByLabel('Action as JSON').fill(JSON.stringify(action));
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Version 1, in force' }).waitFor();
    expect(await page.locator('.answers .badge', { hasText: /^allowed$/ }).count()).toBe(1);
    expect(await page.locator('.answers .badge', { hasText: /^denied$/ }).count()).toBe(1);
    await page.getByLabel('Title of the case').fill('never hands over');
    await page.getByRole('button', { name: 'Add to the cases' }).click();
    await page.getByText(/^Added\./).waitFor();
    await picture(page, 'playground-both');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Profile', exact: true }).click();
    await page.getByText('4 cases', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run cases' }).click();
    await page.getByText('4 passed, 0 failed').waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 180_000);

  it('have lists of 1,000 entries that are typed without a wait', async () => {
    const id = await newAgent(instance, headers);
    const entries = Array.from({ length: 1000 }, (_, n) => `host-${n}.example`);
    expect((await change(id, { blocked_apis: entries })).status).toBe(200);
    const { page, watched } = await open(`/agents/${id}/profile`);
    const blocked = page.getByLabel('Blocked APIs and tools');
    await blocked.waitFor();
    // From the key to the end of its work; 50 ms on a machine that is not busy.
    const spent = (): Promise<unknown> =>
      page.evaluate(`(async () => {
        const field = [...document.querySelectorAll('.profile-form textarea')].find(({ value }) => value.includes('host-1.'));
        const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
        const times = [];
        for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
          const begun = performance.now();
          set.call(field, field.value + key);
          field.dispatchEvent(new Event('input', { bubbles: true }));
          times.push(performance.now() - begun);
          await new Promise((done) => requestAnimationFrame(done));
        }
        return times.sort((one, other) => one - other)[3];
      })()`);
    const json = Number(await spent());
    await page.getByRole('button', { name: 'YAML', exact: true }).click();
    await page.getByLabel('Profile as YAML').waitFor();
    const yaml = Number(await spent());
    console.info(`a key in a list of 1,000 entries: ${json.toFixed(1)} ms as JSON, ${yaml.toFixed(1)} ms as YAML`);
    expect(json).toBeLessThan(250);
    expect(yaml).toBeLessThan(250);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);

  it('of any two versions are compared, with the hash of each, and one that was changed in the store is red', async () => {
    const { agentId } = instance.bootstrap;
    for (const blocked of ['one.example', 'two.example', 'three.example']) {
      expect((await change(agentId, { blocked_apis: [blocked] })).status).toBe(200);
      for (const path of ['a', 'b']) {
        const answer = await instance.check({ type: 'http_call', url: `https://${blocked}/${path}` });
        expect(answer.json).toMatchObject({ allowed: false });
      }
    }
    await eventually('the archive has all checks', 30, async () => {
      const { json } = await instance.request('GET', `/v1/events?agentId=${agentId}&outcome=denied`, { headers });
      return (json as { readonly total: number }).total >= 6 ? true : null;
    });
    const { page, watched } = await open(`/agents/${agentId}/history?version=2&with=3`);
    await page.getByRole('heading', { name: 'Version 2 and version 3' }).waitFor();
    const row = page.getByRole('group', { name: 'Fields that differ' }).getByRole('row').nth(1);
    expect(await row.innerText()).toMatch(/blocked_apis[^]*one\.example[^]*two\.example/);
    await page.getByText('Version 2: its hash holds').waitFor();
    await page.getByText('Version 3: its hash holds').waitFor();
    expect(await page.getByText('2 checks while it was in force').count()).toBe(2);
    expect(await page.getByText('the newest 2 state this hash', { exact: false }).count()).toBe(2);
    await picture(page, 'history-compared');
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel('Compared with').focus();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('heading', { name: 'Version 2 and version 4' }).waitFor();
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();

    await instance.stop();
    const store = new Database(join(instance.dataDir, 'audit-log/events.db'));
    const altered = store
      .prepare(
        "UPDATE openings SET value = replace(value, 'two.example', 'too.example') WHERE value LIKE '%\"profile\"%'",
      )
      .run();
    store.close();
    expect(altered.changes).toBeGreaterThan(0);
    instance = await instance.startAgain();
    headers = await instance.session();
    const changed = await open(`/agents/${agentId}/history?version=3&with=2`, NARROW);
    await changed.page.getByText('Version 3: this is not the profile that was in force').waitFor();
    await changed.page.getByText('Version 2: its hash holds').waitFor();
    const restore = changed.page.getByRole('button', { name: 'Restore version 3' });
    expect(await restore.getAttribute('aria-disabled')).toBe('true');
    await restore.click({ force: true });
    expect(await changed.page.getByRole('dialog').count()).toBe(0);
    await restore.scrollIntoViewIfNeeded();
    await picture(changed.page, 'history-changed-narrow-dark');
    expect(await fits(changed.page)).toBe(true);
    expect(await barriersOf(changed.page)).toEqual([]);
    // One that holds is restored.
    await changed.page.getByLabel('Version', { exact: true }).selectOption('2');
    await changed.page.getByRole('button', { name: 'Restore version 2' }).click();
    await changed.page.getByRole('dialog').getByRole('button', { name: 'Restore version 2' }).click();
    await changed.page.getByRole('dialog').waitFor({ state: 'detached' });
    const { json } = await instance.request('GET', `/v1/agents/${agentId}/profile`, { headers });
    expect(json).toMatchObject({ version: 5, blocked_apis: ['one.example'] });
    expect(unexpected(changed.watched)).toEqual([]);
    await changed.page.context().close();
  }, 180_000);
});
