import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { consolePage } from '../../../../tests/support/console-page.ts';
import { openStandInApi, type StandInApi, type StandInOptions } from '../../../../tests/support/stand-in-api.ts';
import { type ConsolePage, type Look, openBrowser, openPage } from './browser.ts';
import { checkPage } from './check-page.ts';

/** The console in a browser, over a stand-in for the operators' API. */
export interface TestConsole {
  readonly api: StandInApi;
  /** @param path `/tasks?state=failed` @param look `key`: another than the right one */
  open(path: string, look?: Look & { readonly key?: string }): Promise<ConsolePage>;
  /** As {@link checkPage}. @param ready waits until the page shows what it should */
  check(path: string, ready: (page: Page) => Promise<unknown>, key?: string): Promise<void>;
}

/** For the tests of a `describe`, which share browser and stand-in. */
export function useConsole(options: Pick<StandInOptions, 'tasks'> = {}): TestConsole {
  let browser: Browser;
  let api: StandInApi;
  beforeAll(async () => {
    browser = await openBrowser();
    api = await openStandInApi({ ...options, page: await consolePage() });
  });
  afterAll(async () => {
    await browser?.close();
    await api?.[Symbol.asyncDispose]();
  });
  return {
    get api() {
      return api;
    },
    open: (path, { key = api.key, ...look } = {}) => openPage(browser, { url: api.url, key, path }, look),
    check: (path, ready, key = api.key) => checkPage(browser, { url: api.url, key, path, ready }),
  };
}
