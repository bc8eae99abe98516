import type { Browser } from 'playwright-core';

/** Input of the page, none of it from the service. */
export interface Given {
  /** Of the service that serves the page. */
  readonly baseUrl: string;
  readonly report: string;
  readonly pem: string;
  readonly rpcUrl: string;
  readonly authority: string;
  /** Files with proofs of absence. */
  readonly absences?: readonly string[];
}

/** The verdict of the page `/verify` for a file, and all its text. */
export async function askPage(browser: Browser, given: Given): Promise<{ verdict: string; text: string }> {
  const page = await browser.newPage();
  try {
    await page.goto(`${given.baseUrl}/verify`);
    await page.locator('#pem').fill(given.pem);
    await page.locator('#rpc').fill(given.rpcUrl);
    await page.locator('#authority').fill(given.authority);
    await page.locator('#absences').setInputFiles([...(given.absences ?? [])]);
    // It verifies as soon as the file is chosen.
    await page.locator('#file').setInputFiles(given.report);
    const verdict = page.locator('#verdict');
    await verdict.waitFor({ timeout: 30_000 });
    return { verdict: await verdict.innerText(), text: await page.locator('#result').innerText() };
  } finally {
    await page.close();
  }
}
