import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { consolePage } from '../../../../tests/support/console-page.ts';
import { openStandInApi, type StandInApi, type StandInOptions } from '../../../../tests/support/stand-in-api.ts';
import { type ConsolePage, openPage, sharedBrowser, type ViewOptions } from './browser.ts';
import { checkPage } from './check-page.ts';

/** The console in a browser, with a stand-in for the operators' API. */
export interface TestConsole {
  readonly api: StandInApi;
  /** @param path `/tasks?state=failed` @param options `key`: a wrong one, for instance */
  open(path: string, options?: ViewOptions & { readonly key?: string }): Promise<ConsolePage>;
  /** As {@link checkPage}. @param ready resolves when the page shows the expected content */
  check(path: string, ready: (page: Page) => Promise<unknown>, key?: string): Promise<void>;
}

/** Call it in a `describe`: its tests share a browser and a stand-in. */
export function useConsole(options: Pick<StandInOptions, 'tasks'> = {}): TestConsole {
  let browser: Browser;
  let api: StandInApi;
  beforeAll(async () => {
    browser = await sharedBrowser();
    api = await openStandInApi({ ...options, page: await consolePage() });
  });
  afterAll(() => api?.[Symbol.asyncDispose]());
  return {
    get api() {
      return api;
    },
    open: (path, { key = api.key, ...options } = {}) => openPage(browser, { url: api.url, key, path }, options),
    check: (path, ready, key = api.key) => checkPage(browser, { url: api.url, key, path, ready }),
  };
}
