import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { consolePage } from '../../../../tests/support/console-page.ts';
import {
  openStandInApi,
  type ReceivedRequest,
  type StandInApi,
  type StandInOptions,
} from '../../../../tests/support/stand-in-api.ts';
import { until } from '../../../../tests/support/until.ts';
import { type ConsolePage, openPage, sharedBrowser, type ViewOptions } from './browser.ts';
import { checkPage } from './check-page.ts';

/** The console in a browser, with a stand-in for the operators' API. */
export interface TestConsole {
  readonly api: StandInApi;
  /** @param path `/tasks?state=failed` @param options `key`: a wrong one, for instance */
  open(path: string, options?: ViewOptions & { readonly key?: string }): Promise<ConsolePage>;
  /** Waits for a request, since one may see its page before. @returns the last one that has all of `wanted` */
  asked(wanted: Partial<Omit<ReceivedRequest, 'body'>>): Promise<ReceivedRequest>;
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
    asked: ({ query = {}, ...wanted }) =>
      until(() => api.requests.findLast((each) => hasAll(each, wanted) && hasAll(each.query, query)), {
        what: `the console asks for ${JSON.stringify({ ...wanted, query })}`,
      }),
    check: (path, ready, key = api.key) => checkPage(browser, { url: api.url, key, path, ready }),
  };
}

function hasAll(each: object, wanted: object): boolean {
  const found = new Map(Object.entries(each));
  return Object.entries(wanted).every(([name, value]) => found.get(name) === value);
}
