import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { openBrowser, testedBrowser, watch } from './browser.js';
import type { Watched } from './browser.js';
import { barriersOf, picture, unexpected } from './console-page.js';
import { startIdentityProvider } from './identity-provider.js';
import type { IdentityProvider } from './identity-provider.js';

const browserName = testedBrowser();
const inBrowser = browserName === null ? describe.skip : describe;
const BUTTON = { name: 'Sign in with Example Bank' };

inBrowser(`sign-in at a provider in the console${browserName === null ? ' (needs chromium)' : ''}`, () => {
  let provider: IdentityProvider;
  let instance: Instance;
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    provider = await startIdentityProvider();
    folder = mkdtempSync(join(tmpdir(), 'single-sign-on-page-'));
    const secretFile = join(folder, 'secret');
    writeFileSync(secretFile, provider.client.secret);
    instance = await Instance.start({
      env: {
        COUNTERSIGN_OIDC_ISSUER: provider.issuer,
        COUNTERSIGN_OIDC_CLIENT_ID: provider.client.id,
        COUNTERSIGN_OIDC_CLIENT_SECRET_FILE: secretFile,
        COUNTERSIGN_OIDC_LABEL: 'Example Bank',
        COUNTERSIGN_OPEN_REGISTRATION: 'false',
        COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: provider.host,
      },
    });
    browser = await openBrowser(browserName!);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await instance?.discard();
    await provider?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  async function open(place: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const page = await (await browser.newContext(options)).newPage();
    const watched = watch(page);
    await page.goto(`${instance.bootstrap.baseUrl}/console${place}`);
    await page.getByRole('button', BUTTON).waitFor();
    return { page, watched };
  }
  async function signInAtProvider(page: Page, name: string): Promise<void> {
    await page.getByRole('button', BUTTON).click();
    await page.locator('input[name=login]').fill(name);
    await page.locator('input[name=password]').fill('any password');
    await page.locator('button[type=submit]').click();
    // It asks for consent.
    await page.locator('button[type=submit]', { hasText: 'Continue' }).click();
  }
  // The pages of the provider load an icon and a font that are not there.
  const complaintsOf = (watched: Watched): readonly string[] =>
    unexpected(watched).filter((text) => !text.startsWith('Failed to load resource:'));

  it('says that the provider cannot be asked, and leaves the page only when it can', async () => {
    const { page, watched } = await open('#/agents');
    await page.getByRole('button', BUTTON).click();
    await page.getByRole('alert').getByText('Example Bank cannot be reached at the moment').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await picture(page, 'single-sign-on-away');
    expect(complaintsOf(watched)).toEqual([]);
    await page.context().close();
    await provider.serve(`${instance.bootstrap.baseUrl}/v1/auth/oidc/callback`);
  });

  it('signs an invited user in from another site, and continues where the sign-in began', async () => {
    const headers = await instance.session();
    const body = { email: 'ana@else.example', role: 'auditor' };
    expect((await instance.request('POST', '/v1/invitations', { headers, body })).status).toBe(201);
    // The last failure of the provider is remembered for a while.
    await eventually('a start that leads to the provider', 30, async () => {
      const { status } = await instance.request('GET', '/v1/auth/oidc/start');
      return status === 302 ? status : null;
    });
    const { page, watched } = await open('#/agents');
    await signInAtProvider(page, 'ana');
    await page.locator('.shell').waitFor();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(page.url()).toBe(`${instance.bootstrap.baseUrl}/console#/agents`);
    const cookies = await page.context().cookies(instance.bootstrap.baseUrl);
    const session = cookies.find(({ name }) => name === 'csn_session');
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(cookies.find(({ name }) => name === 'csn_sign_in')).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
    expect(complaintsOf(watched)).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['wide', {}],
    ['narrow-dark', { viewport: { width: 360, height: 780 }, colorScheme: 'dark' as const }],
  ])('says why no session was opened, and takes it out of the address: %s', async (name, options) => {
    const { page, watched } = await open('', options);
    await signInAtProvider(page, `stranger-${name}`);
    const alert = page.getByRole('alert');
    await alert.getByText('Ask an admin of your account for an invitation').waitFor();
    expect(page.url()).not.toContain('single-sign-on');
    await page.getByRole('button', BUTTON).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await picture(page, `single-sign-on-${name}`);
    expect(complaintsOf(watched)).toEqual([]);
    await page.context().close();
  });

  it('shows no text that an address brings', async () => {
    const { page } = await open('#/single-sign-on/constructor');
    await page.getByRole('alert').getByText('The answer of the provider is not valid').waitFor();
    await page.goto(`${instance.bootstrap.baseUrl}/console#/single-sign-on/Call%20555-0100`);
    await page.getByRole('button', BUTTON).waitFor();
    expect(await page.getByText('555').count()).toBe(0);
    await page.context().close();
  });
});
