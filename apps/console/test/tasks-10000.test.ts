import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

/** A frame over this is seen. */
const longestFrameMs = 50;
const interactiveMs = 2_000;
/** Others use this machine, too: it is enough that a pass goes well. */
const passes = 6;

describe.runIf(hasBrowser)('ten thousand tasks', () => {
  const ui = useConsole({ tasks: 10_000 });

  it('can be used within two seconds, from an empty cache', async () => {
    const times: number[] = [];
    while (times.length < passes && !times.some((ms) => ms < interactiveMs)) {
      await using opened = await ui.open('/tasks');
      await opened.page.getByRole('region', { name: 'Tasks' }).getByRole('link').first().waitFor();
      times.push(await opened.page.evaluate<number>(`performance.getEntriesByName('interactive')[0].startTime`));
    }
    tell('interactive', times);
    expect(Math.min(...times)).toBeLessThan(interactiveMs);
  });

  it('are scrolled through without a frame that is seen', async () => {
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    await page.getByRole('region', { name: 'Tasks' }).getByRole('link').first().waitFor();
    // The rows come as they are scrolled to.
    await scrollThrough(page);
    const longest: number[] = [];
    while (longest.length < passes && !longest.some((ms) => ms <= longestFrameMs))
      longest.push(await scrollThrough(page));
    tell('longest frame', longest);
    expect(Math.min(...longest)).toBeLessThanOrEqual(longestFrameMs);
    expect(opened.problems).toEqual([]);
  }, 45_000);
});

/** From the first row to the last and back, as fast as a wheel does. @returns the longest frame, in ms */
function scrollThrough(page: Page): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const list = document.querySelector('.virtual-list');
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    let longest = 0;
    let last = await frame();
    const step = async (pixels) => {
      list.scrollTop += pixels;
      const now = await frame();
      longest = Math.max(longest, now - last);
      last = now;
    };
    const atEnd = () => list.scrollTop + list.clientHeight >= 10_000 * 36 - 1;
    while (!atEnd()) await step(4_800);
    while (list.scrollTop > 0) await step(-4_800);
    return longest;
  })()`);
}

function tell(what: string, ms: readonly number[]): void {
  process.stdout.write(`${what}: ${ms.map((each) => each.toFixed(0)).join(', ')} ms\n`);
}
