import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { LoadGenerator } from '../load/load-generator.js';
import { slopeOf } from '../soak/slope.js';
import type { Countersign } from '../subjects/countersign.js';
import { MAX_REQUESTS } from '../throughput/measure.js';
import { aimLine } from '../throughput/report.js';
import { targetOf } from '../throughput/subjects.js';

const LOAD = { kind: 'open', perSecond: 200, connections: 8, spin: false } as const;
const AIM = { answered: 95, heapMiB: 150, mibPerMinute: 1 } as const;
/** Readings of the heap: the slope needs several. */
const READINGS = 10;

/**
 * Prints the heap of the page while it shows the list of events live, and checks come in at 200 a second: the most after the
 * first reading, and how much it grows in a minute.
 */
export async function soak(
  page: Page,
  instance: Countersign,
  generator: LoadGenerator,
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
  const target = targetOf(instance, [instance.bootstrap.agentId]);
  const underWay = generator.run({ target, load: LOAD, seconds, maxRequests: MAX_REQUESTS });
  const heaps: { readonly minute: number; readonly value: number }[] = [];
  for (let n = 1; n <= READINGS; n += 1) {
    await delay((1000 * seconds) / READINGS);
    await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await cdp.send('Runtime.getHeapUsage');
    heaps.push({ minute: (n * seconds) / READINGS / 60, value: usedSize / 1024 / 1024 });
  }
  const { answered } = await underWay;
  const values = heaps.map(({ value }) => value);
  const shown = values.map((mib) => mib.toFixed(1)).join(', ');
  print(`  ${answered} checks in ${seconds} s, shown live; heap: ${shown} MiB`);
  const share = (100 * answered) / (LOAD.perSecond * seconds);
  print(aimLine({ what: '% of the checks answered', figure: share, atLeast: AIM.answered }));
  print(aimLine({ what: 'MiB of heap at most', figure: Math.max(...values), atMost: AIM.heapMiB }));
  const perMinute = slopeOf(heaps.slice(READINGS / 2)).perHour / 60;
  print(aimLine({ what: 'MiB that it grows in a minute, second half', figure: perMinute, atMost: AIM.mibPerMinute }));
}
