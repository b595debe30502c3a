import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { patience } from '../../../tests/support/until.ts';
import { hasBrowser } from './support/browser.ts';
import { useConsole } from './support/use-console.ts';

/** Longer frames are visible. */
const longestFrameMs = 50;
const interactiveMs = 2_000;
/** Other programs use this machine, too: one good pass is enough. */
const passes = 6;

describe.runIf(hasBrowser)('a list of ten thousand tasks', () => {
  const ui = useConsole({ tasks: 10_000 });

  it('is interactive within two seconds with an empty cache', async () => {
    const times: number[] = [];
    while (times.length < passes && !times.some((ms) => ms < interactiveMs)) {
      await using opened = await ui.open('/tasks', { isFirstVisit: true });
      await opened.page.getByRole('region', { name: 'Tasks' }).getByRole('link').first().waitFor();
      times.push(await opened.page.evaluate<number>(`performance.getEntriesByName('interactive')[0].startTime`));
    }
    print('interactive', times);
    expect(Math.min(...times)).toBeLessThan(interactiveMs * patience);
  });

  it('scrolls without a visible delay', async () => {
    await using opened = await ui.open('/tasks');
    const { page } = opened;
    await page.getByRole('region', { name: 'Tasks' }).getByRole('link').first().waitFor();
    // Loads the rows.
    await scrollThrough(page);
    const browser = page.context().browser();
    if (!browser) throw new Error('the page has no browser');
    const longest: number[] = [];
    while (longest.length < passes && !longest.some((ms) => ms <= longestFrameMs)) {
      await browser.startTracing(page, { categories: ['toplevel'] });
      print('longest frame by the clock', [await scrollThrough(page)]);
      longest.push(longestTaskMs(traceSchema.parse(JSON.parse((await browser.stopTracing()).toString()))));
    }
    print('longest work of the main thread', longest);
    expect(Math.min(...longest)).toBeLessThanOrEqual(longestFrameMs * (await slowness(page)));
    expect(opened.problems).toEqual([]);
  });
});

/**
 * How many times as long as the machine of this test's first run this one takes for the same work, at least 1: the
 * median of nine, since a machine that other programs use is slower for most of the time.
 */
async function slowness(page: Page): Promise<number> {
  const usualMs = 10;
  const times = await page.evaluate<number[]>(`Array.from({ length: 9 }, () => {
    const start = performance.now();
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: String((i * 7919) % 20_011) }));
    rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    return performance.now() - start;
  })`);
  print('the same work', times);
  return Math.max(1, (times.sort((a, b) => a - b)[4] ?? usualMs) / usualMs);
}

const traceSchema = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      dur: z.number().optional(),
      tdur: z.number().optional(),
      args: z.looseObject({ name: z.unknown() }).partial().optional(),
    }),
  ),
});

/**
 * The work of a task is at most its time, which grows while other programs have the processor, and at most the
 * processor time of its thread, which jumps by 10 ms on some virtual machines: the smaller of both, in ms.
 */
function longestTaskMs({ traceEvents }: z.infer<typeof traceSchema>): number {
  const isNamed = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const threads = new Set(isNamed.map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents.filter(({ pid, tid, tdur }) => tdur !== undefined && threads.has(`${pid} ${tid}`));
  expect(tasks.length, 'tasks of the main thread').toBeGreaterThan(100);
  return Math.max(...tasks.map(({ dur = 0, tdur = 0 }) => Math.min(dur, tdur) / 1_000));
}

/** Scrolls from the first row to the last and back, as fast as a mouse wheel. @returns the longest frame in ms */
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

function print(what: string, ms: readonly number[]): void {
  process.stdout.write(`${what}: ${ms.map((each) => each.toFixed(0)).join(', ')} ms\n`);
}
