import { spawnSync } from 'node:child_process';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser of this machine; `null` where there is none. */
function installedBrowser(): string | null {
  return NAMES.find((name) => spawnSync(name, ['--version'], { timeout: 20_000 }).status === 0) ?? null;
}

/** The browser for tests, `null` where there is none. @throws where tests must have one */
export function testedBrowser(): string | null {
  const name = installedBrowser();
  if (name === null && process.env['COUNTERSIGN_TEST_INFRA'] === 'required') {
    throw new Error('COUNTERSIGN_TEST_INFRA=required, and no browser is installed: test-e2e/infra/install.sh');
  }
  return name;
}

/** Headless, and as it comes: with a profile of its own that is gone afterwards. */
export function openBrowser(name: string): Promise<Browser> {
  const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
  // A container's user is root, for whom the sandbox does not start; what is opened is our own.
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** What a page did that a strict policy, or a reader without a network, would not have let it do. */
export interface Watched {
  /** Origins that were asked for anything, the page's own included. */
  readonly origins: Set<string>;
  /** What the policy refused, what the console calls an error, and what was thrown. */
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
