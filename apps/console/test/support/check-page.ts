import { mkdirSync } from 'node:fs';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, type ViewOptions, views } from './browser.ts';

const allViews: readonly Required<Pick<ViewOptions, 'view' | 'scheme'>>[] = [
  { view: 'wide', scheme: 'light' },
  { view: 'wide', scheme: 'dark' },
  { view: 'phone', scheme: 'light' },
  { view: 'phone', scheme: 'dark' },
];

export interface CheckedPage {
  readonly url: string;
  readonly key: string;
  /** `/tasks?state=failed` */
  readonly path: string;
  /** Resolves when the page shows the expected content. */
  readonly ready: (page: Page) => Promise<unknown>;
}

/**
 * Checks a page in light and dark, wide and on a phone: no error in its console, WCAG AA, nothing wider than the
 * window, and on a phone no cut title. With SCREENSHOTS=<folder> each view is saved there as a picture.
 */
export async function checkPage(browser: Browser, { ready, ...at }: CheckedPage): Promise<void> {
  await using opened = await openPage(browser, at);
  const { page, problems } = opened;
  await page.evaluate(axe.source);
  for (const { view, scheme } of allViews) {
    await page.setViewportSize(views[view]);
    await page.emulateMedia({ colorScheme: scheme });
    await ready(page);
    const name = `${at.path} ${view} ${scheme}`;
    await takePicture(page, name);
    expect(await violations(page, scheme), name).toEqual([]);
    const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(isTooWide, `${name}: wider than the window`).toBe(false);
    const isCut = await page.evaluate(`[...document.querySelectorAll('h1, .page-line .state, .line-label')]
      .some((words) => words.scrollWidth > words.clientWidth && getComputedStyle(words).display !== 'inline')`);
    expect(view === 'phone' && isCut, `${name}: words are cut`).toBe(false);
  }
  expect(problems).toEqual([]);
}

const allRules = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
const colours = { type: 'rule', values: ['color-contrast'] };

/** The dark scheme differs only in colours. */
function violations(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  const runOnly = JSON.stringify(scheme === 'light' ? allRules : colours);
  return page.evaluate<string[]>(`axe.run({ runOnly: ${runOnly}, resultTypes: ['violations'] }).then((results) =>
    results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`);
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name.replaceAll(/\W+/g, '-').replace(/^-/, '')}.png` });
}
