import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'node:http';
import type { Page } from 'playwright-core';
import type { Countersign } from '../subjects/countersign.js';
import { checkBody } from '../subjects/requests.js';
import { aimLine } from '../throughput/report.js';

const PER_SECOND = 200;
const AIM = { answered: 95, heapMiB: 150, mibPerMinute: 1 } as const;
/** Reading of the heap in a second of its own: the slope needs several. */
const READINGS = 10;

/**
 * Prints the heap of the page while it shows the list of events live, and checks come in at 200 a second: the most after the
 * first reading, and how much it grows in a minute.
 */
export async function soak(
  page: Page,
  { bootstrap }: Countersign,
  seconds: number,
  print: (line: string) => void,
): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  // The list begins at its top, where it follows the feed.
  await page.evaluate("window.location.hash = '/overview'");
  await page.locator('.totals a').first().waitFor();
  await page.evaluate("window.location.hash = '/events'");
  await page.locator('[role="row"][data-index]').first().waitFor();
  await page.locator('.feed.live').waitFor();
  await cdp.send('HeapProfiler.enable');
  const load = new CheckLoad(bootstrap);
  const heaps: number[] = [];
  try {
    for (let n = 0; n < READINGS; n += 1) {
      await delay((1000 * seconds) / READINGS);
      await cdp.send('HeapProfiler.collectGarbage');
      heaps.push((await cdp.send('Runtime.getHeapUsage')).usedSize / 1024 / 1024);
    }
  } finally {
    load.stop();
  }
  print(
    `  ${load.answered} checks in ${seconds} s, shown live; heap: ${heaps.map((mib) => mib.toFixed(1)).join(', ')} MiB`,
  );
  const share = (100 * load.answered) / (PER_SECOND * seconds);
  print(aimLine({ what: '% of the checks answered', figure: share, atLeast: AIM.answered }));
  print(aimLine({ what: 'MiB of heap at most', figure: Math.max(...heaps), atMost: AIM.heapMiB }));
  const perReading = slopeOf(heaps.slice(READINGS / 2));
  const perMinute = (perReading * 60) / (seconds / READINGS);
  print(aimLine({ what: 'MiB that it grows in a minute, second half', figure: perMinute, atMost: AIM.mibPerMinute }));
}

/** The slope of the line that fits best (least squares), for each step. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const steps = values.map((value, n) => [n - middle, value - mean] as const);
  return steps.reduce((sum, [x, y]) => sum + x * y, 0) / steps.reduce((sum, [x]) => sum + x * x, 0);
}

/** Sends checks at a constant rate, on connections that stay open. */
class CheckLoad {
  answered = 0;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #timer: NodeJS.Timeout;

  constructor({ baseUrl, apiKey, agentId }: Countersign['bootstrap']) {
    const url = new URL('/v1/check', baseUrl);
    const body = JSON.stringify(checkBody(agentId));
    const headers = { 'content-type': 'application/json', 'x-service-key': apiKey };
    const send = (): void => {
      const outgoing = request(url, { method: 'POST', agent: this.#agent, headers }, (answer) => {
        if (answer.statusCode === 200) this.answered += 1;
        answer.resume();
      });
      outgoing.on('error', () => undefined);
      outgoing.end(body);
    };
    this.#timer = setInterval(() => {
      for (let n = 0; n < PER_SECOND / 20; n += 1) send();
    }, 50);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#agent.destroy();
  }
}
