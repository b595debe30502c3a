import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { isCi } from '../../../../tests/support/has-program.ts';

/** The path on Debian, then other usual ones. `node scripts/setup.mjs --browser` installs it. */
const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const found = programs.find((file) => existsSync(file));

/** False: the tests are skipped, except in CI, where they fail. Usage: `describe.runIf(hasBrowser)` */
export const hasBrowser = found !== undefined || isCi;

/** Open one per test file, and close it at the end. */
export function openBrowser(): Promise<Browser> {
  if (!found) throw new Error('there is no Chromium here: node scripts/setup.mjs --browser');
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}

export const views = {
  wide: { width: 1_280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;

export interface ViewOptions {
  readonly view?: keyof typeof views;
  readonly scheme?: 'light' | 'dark';
}

/** A page with its own session, signed in by the key in its URL. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the console, uncaught errors, and violations of the content security policy. */
  readonly problems: readonly string[];
}

/** @param path `/tasks?state=failed` */
export async function openPage(
  browser: Browser,
  { url, key, path }: { readonly url: string; readonly key: string; readonly path: string },
  { view = 'wide', scheme = 'light' }: ViewOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: views[view], colorScheme: scheme });
  // Shorter than the timeout of a test, so that the error names what was missing.
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${url}/console${path}#key=${key}`);
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}
