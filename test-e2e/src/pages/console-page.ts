import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { Bootstrap } from '../instance/first-account.js';
import { watch } from './browser.js';
import type { Watched } from './browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Pictures of screens, to look at; not committed. */
const PICTURES = fileURLToPath(new URL('../../dist/pictures/', import.meta.url));

export interface OpenedConsole {
  readonly page: Page;
  readonly watched: Watched;
}

/** Opens the console in a new context, and signs in. @param place behind `#` */
export async function openConsole(
  browser: Browser,
  { baseUrl, email, password }: Pick<Bootstrap, 'baseUrl' | 'email' | 'password'>,
  place: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<OpenedConsole> {
  const page = await (await browser.newContext(options)).newPage();
  const watched = watch(page);
  await page.goto(`${baseUrl}/console#${place}`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('.shell').waitFor();
  return { page, watched };
}

/** Every screen and part that needs no more than an agent and an event: the place behind `#`, and its heading. */
export function placesOf(agentId: string, eventId: string): readonly (readonly [place: string, heading: string])[] {
  const agent = `/agents/${agentId}`;
  return [
    ['/overview', 'Overview'],
    ['/events', 'Events'],
    [`/events/${eventId}`, 'Event'],
    ['/agents', 'Agents'],
    [agent, 'First agent'],
    [`${agent}/profile`, 'First agent'],
    [`${agent}/history`, 'First agent'],
    [`${agent}/playground`, 'First agent'],
    [`${agent}/proofs`, 'First agent'],
    [`${agent}/connect`, 'First agent'],
    ['/approvals', 'Approvals'],
    ['/alerts', 'Alerts'],
    ['/alerts/refused', 'Alerts'],
    ['/alerts/destinations', 'Alerts'],
    ['/coverage', 'Coverage'],
    ['/health', 'Health'],
    ['/reports', 'Reports'],
    ['/reports/scope', 'Reports'],
    ['/settings', 'Settings'],
    ['/settings/api-keys', 'Settings'],
    ['/settings/people', 'Settings'],
    ['/settings/legal-holds', 'Settings'],
    ['/settings/signing-keys', 'Settings'],
  ];
}

/** Goes to another place of the application. @param place behind `#` */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(`window.location.hash = ${JSON.stringify(place)}`);
}

/** Violations of WCAG 2.2 A and AA that are serious or critical. */
export async function barriersOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
      };
    };
    const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { violations } = await axe.run({ runOnly });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  });
}

/** Keeps a picture of what is shown. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}${name}.png` });
}

/** The browser reports an answer with 401 as an error, and the page asks for a session before there is one. */
export function unexpected({ complaints }: Watched): readonly string[] {
  return complaints.filter((text) => !/^Failed to load resource: .* 401 /.test(text));
}
