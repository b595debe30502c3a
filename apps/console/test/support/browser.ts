import { existsSync } from 'node:fs';
import { type Browser, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import { isCi } from '../../../../tests/support/has-program.ts';
import { patience } from '../../../../tests/support/until.ts';

/** The path on Debian, then other usual ones. `node scripts/setup.mjs --browser` installs it. */
const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const found = programs.find((file) => existsSync(file));

/** False: the tests are skipped, except in CI, where they fail. Usage: `describe.runIf(hasBrowser)` */
export const hasBrowser = found !== undefined || isCi;

/** The caller closes it. */
export function openBrowser(): Promise<Browser> {
  if (!found) throw new Error('there is no Chromium here: node scripts/setup.mjs --browser');
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}

let shared: Promise<Browser> | undefined;

/** The browser of all test files of this process. It ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser();
  return shared;
}

export const views = {
  wide: { width: 1_280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;

export interface ViewOptions {
  readonly view?: keyof typeof views;
  readonly scheme?: 'light' | 'dark';
  /** Whether the browser has loaded nothing of the console before. */
  readonly isFirstVisit?: boolean;
}

/** A page with its own session, signed in by the key in its URL. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors, and violations of the content security policy. */
  readonly problems: readonly string[];
}

/** Pages that nobody uses. To load a document in one costs a quarter of the processor time of a page of its own. */
const unused = new WeakMap<Browser, Page[]>();

/** @param path `/tasks?state=failed` */
export async function openPage(
  browser: Browser,
  { url, key, path }: { readonly url: string; readonly key: string; readonly path: string },
  { view = 'wide', scheme = 'light', isFirstVisit = false }: ViewOptions = {},
): Promise<ConsolePage> {
  const page = (!isFirstVisit && unused.get(browser)?.pop()) || (await newPage(browser));
  await page.setViewportSize(views[view]);
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  const problems: string[] = [];
  const onMessage = (message: ConsoleMessage): void => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  };
  const onError = (error: Error): void => void problems.push(error.message);
  page.on('console', onMessage).on('pageerror', onError);
  await page.goto(`${url}/console${path}#key=${key}`);
  return {
    page,
    problems,
    async [Symbol.asyncDispose]() {
      page.off('console', onMessage).off('pageerror', onError);
      await forget(page);
      unused.set(browser, [...(unused.get(browser) ?? []), page]);
    },
  };
}

/** A page with an empty cache. */
async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  // Shorter than the timeout of a test, so that the error names what was missing.
  context.setDefaultTimeout(15_000 * patience);
  return context.newPage();
}

/** Ends the session and all requests of a page. */
async function forget(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate('sessionStorage.clear(); localStorage.clear()');
  await page.context().clearCookies();
  await page.goto('about:blank');
}
