import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import type { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { barriersOf, openConsole, picture, unexpected } from './console-page.js';

const NARROW = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;
const LONG = `https://agents.example.com/${'a'.repeat(150)}`;
const PASSWORD = 'a password that is long enough';

/** OAuth clients of agents in the console. */
export function oauthClientCases(get: () => { readonly instance: Instance; readonly browser: Browser }): void {
  it('give an agent OAuth clients by keyboard, name the agent that has one, and take them away', async () => {
    const { instance, browser } = get();
    const headers = await instance.session();
    const id = await newAgent(instance, headers);
    const other = await newAgent(instance, headers);
    const body = { oauth_client_ids: ['taken'] };
    expect((await instance.request('PATCH', `/v1/agents/${other}`, { headers, body })).status).toBe(200);
    const clientsOf = async (): Promise<unknown> => {
      const { json } = await instance.request('GET', `/v1/agents/${id}`, { headers });
      return (json as { oauth_client_ids?: unknown }).oauth_client_ids;
    };
    const { page, watched } = await openConsole(browser, instance.bootstrap, `/agents/${id}/profile`, NARROW);
    await page.getByText('No client: such gateways cannot name this agent.').waitFor();
    const edit = page.getByRole('button', { name: 'Edit OAuth clients' });
    await edit.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('Client ids, one a line');
    await field.focus();
    await page.keyboard.type(`${LONG}\n\norders\norders\ntaken`);
    await picture(page, 'oauth-clients-edit-narrow');
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.getByText(`agent ${other} has the OAuth client id taken`, { exact: false }).waitFor();
    await picture(page, 'oauth-clients-taken-narrow');
    expect(await barriersOf(page)).toEqual([]);
    expect(await clientsOf()).toBeUndefined();
    await field.fill(`${LONG}\n\norders\norders\n`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('list', { name: 'OAuth clients' }).getByRole('listitem').allInnerTexts()).toEqual([
      LONG,
      'orders',
    ]);
    expect(await clientsOf()).toEqual([LONG, 'orders']);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Edit OAuth clients');
    await page.getByRole('list', { name: 'OAuth clients' }).scrollIntoViewIfNeeded();
    await picture(page, 'oauth-clients-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
    expect(await barriersOf(page)).toEqual([]);
    expect(unexpected(watched).filter((one) => !/status of 409/.test(one))).toEqual([]);
    await page.context().close();

    const wide = await openConsole(browser, instance.bootstrap, `/agents/${id}/profile`);
    await wide.page.getByText('orders', { exact: true }).waitFor();
    await wide.page.getByRole('list', { name: 'OAuth clients' }).scrollIntoViewIfNeeded();
    await picture(wide.page, 'oauth-clients');
    await wide.page.getByRole('button', { name: 'Edit OAuth clients' }).click();
    await wide.page.getByLabel('Client ids, one a line').fill(' ');
    await wide.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await wide.page.getByText('No client: such gateways cannot name this agent.').waitFor();
    expect(await clientsOf()).toBeUndefined();
    expect(unexpected(wide.watched)).toEqual([]);
    await wide.page.context().close();
  }, 120_000);

  it('show the OAuth clients of an agent to an auditor, and those of a deactivated agent, without a change', async () => {
    const { instance, browser } = get();
    const headers = await instance.session();
    const id = await newAgent(instance, headers);
    const client = `client-${randomUUID()}`;
    await instance.request('PATCH', `/v1/agents/${id}`, { headers, body: { oauth_client_ids: [client] } });
    const email = `auditor-${randomUUID()}@example.com`;
    const user = { email, role: 'auditor', password: PASSWORD };
    expect((await instance.request('POST', '/v1/users', { headers, body: user })).status).toBe(201);
    const as = { ...instance.bootstrap, email, password: PASSWORD };
    const { page, watched } = await openConsole(browser, as, `/agents/${id}/profile`);
    await page.getByText(client, { exact: true }).waitFor();
    const edit = page.getByRole('button', { name: 'Edit OAuth clients' });
    expect(await edit.getAttribute('aria-disabled')).toBe('true');
    await edit.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    const over = await instance.request('POST', `/v1/agents/${id}/deactivate`, { headers, body: {} });
    expect(over.status).toBe(200);
    await page.reload();
    await page.getByText('another agent may have these clients now', { exact: false }).waitFor();
    expect(await edit.count()).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    expect(unexpected(watched)).toEqual([]);
    await page.context().close();
  }, 120_000);
}
