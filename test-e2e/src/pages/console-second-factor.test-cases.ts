import type { Browser, Page } from 'playwright-core';
import { Secret, TOTP } from 'otpauth';
import type { Instance } from '../instance/instance.js';
import { watch } from './browser.js';
import { barriersOf, openConsole, picture } from './console-page.js';

const PASSWORD = 'a password that is long enough';
const STEP_MS = 30_000;

/** Second factors in the console of an instance. */
export function secondFactorCases(get: () => { readonly instance: Instance; readonly browser: Browser }): void {
  /**
   * Two codes of an authenticator, of this step and of the next one: none is used twice, and both are still accepted where a
   * step ends before they arrive.
   */
  const authenticator = (secret: string): (() => string) => {
    let ahead = 0;
    const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
    return () => totp.generate({ timestamp: Date.now() + ahead++ * STEP_MS });
  };
  const addUser = async (email: string): Promise<void> => {
    const { instance } = get();
    const body = { email, role: 'auditor', password: PASSWORD };
    const headers = await instance.session();
    expect((await instance.request('POST', '/v1/users', { headers, body })).status).toBe(201);
  };
  const firstStep = async (email: string): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> => {
    const { instance, browser } = get();
    const page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
    const { complaints } = watch(page);
    await page.goto(`${instance.bootstrap.baseUrl}/console`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    return { page, complaints };
  };
  const isWide = (page: Page): Promise<boolean> =>
    page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  const codeField = (page: Page): ReturnType<Page['getByRole']> =>
    page.getByRole('textbox', { name: 'Code', exact: true });
  const secretIn = async (page: Page): Promise<string> => page.locator('.secret code').innerText();

  it('set up an authenticator, ask for its code at the next sign-in, and remove it by another one', async () => {
    const { instance, browser } = get();
    const email = 'factor@example.com';
    await addUser(email);
    const { page } = await openConsole(browser, { ...instance.bootstrap, email, password: PASSWORD }, '/settings');
    await page.getByRole('button', { name: 'Set up…' }).click();
    await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    const code = authenticator(await secretIn(page));
    await picture(page, 'second-factor-enrolment');
    expect(await barriersOf(page)).toEqual([]);
    await codeField(page).fill(code());
    await page.keyboard.press('Enter');
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await codes.first().waitFor();
    const recovery = await codes.allInnerTexts();
    expect(recovery).toHaveLength(10);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('Recovery codes left').waitFor();

    const second = await firstStep(email);
    const field = codeField(second.page);
    await field.waitFor();
    expect(await second.page.evaluate('document.activeElement.name')).toBe('code');
    await picture(second.page, 'second-factor-360');
    expect([await barriersOf(second.page), await isWide(second.page)]).toEqual([[], false]);
    await field.fill('000000');
    await second.page.keyboard.press('Enter');
    await second.page.getByRole('alert').getByText('the code is wrong').waitFor();
    await field.fill(recovery[0]!);
    await second.page.keyboard.press('Enter');
    await second.page.locator('.shell').waitFor();
    expect(second.complaints.filter((text) => !/ 40[13] /.test(text))).toEqual([]);
    await second.page.context().close();

    await page.getByRole('button', { name: 'Remove…' }).click();
    await codeField(page).fill(code());
    await page.keyboard.press('Enter');
    await page.getByText('Sign-ins ask for the password alone.').waitFor();
    await page.context().close();
  }, 120_000);

  it('lead a user to enrol where the account requires it, and let an admin reset it', async () => {
    const { instance, browser } = get();
    const email = 'required@example.com';
    await addUser(email);
    const { page } = await openConsole(browser, instance.bootstrap, '/settings/people');
    const required = page.getByLabel('Each user needs a second factor', { exact: false });
    await required.check();
    try {
      const other = await firstStep(email);
      await other.page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
      expect([await barriersOf(other.page), await isWide(other.page)]).toEqual([[], false]);
      await picture(other.page, 'second-factor-required-360');
      await codeField(other.page).fill(authenticator(await secretIn(other.page))());
      await other.page.keyboard.press('Enter');
      await other.page.getByRole('button', { name: 'I have stored them' }).click();
      await other.page.locator('.shell').waitFor();
      await other.page.context().close();
    } finally {
      const stored = page.waitForResponse(
        (response) => response.request().method() === 'PUT' && response.url().endsWith('/requirement'),
      );
      await required.uncheck();
      expect((await stored).status()).toBe(200);
    }
    await page.reload();
    await page.getByRole('button', { name: 'Reset second factor' }).click();
    await picture(page, 'second-factor-reset');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset second factor' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Reset second factor' }).count()).toBe(0);
    await page.context().close();
  }, 120_000);
}
