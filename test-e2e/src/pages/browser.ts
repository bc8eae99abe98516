import { spawnSync } from 'node:child_process';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser of this machine; `null` if there is none. */
function installedBrowser(): string | null {
  return NAMES.find((name) => spawnSync(name, ['--version'], { timeout: 20_000 }).status === 0) ?? null;
}

/** The browser for tests, `null` if there is none. @throws if tests require one */
export function testedBrowser(): string | null {
  const name = installedBrowser();
  if (name === null && process.env['COUNTERSIGN_TEST_INFRA'] === 'required') {
    throw new Error('COUNTERSIGN_TEST_INFRA=required, and no browser is installed: test-e2e/infra/install.sh');
  }
  return name;
}

/** Headless, with a temporary profile. */
export function openBrowser(name: string): Promise<Browser> {
  const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
  // The sandbox does not start for root, the user of a container; only our own pages are opened.
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** Violations of a strict policy, or of offline use, by a page. */
export interface Watched {
  /** Origins of all requests, the page's own included. */
  readonly origins: Set<string>;
  /** Policy violations, console errors, and exceptions. */
  readonly complaints: string[];
}

/** Watches a page from its first request on. */
export function watch(page: Page): Watched {
  const watched: Watched = { origins: new Set(), complaints: [] };
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:') watched.origins.add(origin);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') watched.complaints.push(message.text());
  });
  page.on('pageerror', (error) => watched.complaints.push(error.message));
  return watched;
}
