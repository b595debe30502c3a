import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Debian's, and what others call it. `node scripts/setup.mjs --browser` installs it. */
const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const found = programs.find((file) => existsSync(file));

/** False: the tests of a file are skipped, but in CI they fail. `describe.runIf(hasBrowser)` */
export const hasBrowser = found !== undefined || process.env.CI !== undefined;

/** One for each file of tests: close it at the end. */
export function openBrowser(): Promise<Browser> {
  if (!found) throw new Error('there is no Chromium here: node scripts/setup.mjs --browser');
  return chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
}

export const views = {
  wide: { width: 1_280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;

export interface Look {
  readonly view?: keyof typeof views;
  readonly scheme?: 'light' | 'dark';
}

/** A page of its own, signed in by its address. What goes wrong in it is in `problems`. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of the console and of scripts, and what the policy forbade. */
  readonly problems: readonly string[];
}

/** @param path `/tasks?state=failed` */
export async function openPage(
  browser: Browser,
  { url, key, path }: { readonly url: string; readonly key: string; readonly path: string },
  { view = 'wide', scheme = 'light' }: Look = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: views[view], colorScheme: scheme });
  // Shorter than a test: what was waited for is told.
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
