import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { promisify } from 'node:util';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsolePage, hasBrowser, openBrowser, views } from '../../apps/console/test/support/browser.ts';
import { type HttpServer, openHttpServer } from '../support/http-server.ts';
import { until } from '../support/until.ts';

const paths = globSync('docs/*.md').map((file) => file.replace(/^docs(.*)\.md$/, '$1').replace('README', ''));
const various = ['/', '/concepts', '/comparison', '/settings', '/console'];

describe.runIf(hasBrowser)('the site that npm run docs:site builds', () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let server: HttpServer;

  beforeAll(async () => {
    await promisify(execFile)('npm', ['run', '--silent', 'docs:site']);
    const files = express().use(express.static('build/site', { extensions: ['html'] }));
    [server, browser] = await Promise.all([openHttpServer(files), openBrowser()]);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  async function withPage(
    { view, colorScheme }: { readonly view: keyof typeof views; readonly colorScheme: 'light' | 'dark' },
    look: (page: ConsolePage['page'], problems: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({ viewport: views[view], colorScheme });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    page.on('pageerror', ({ message }) => problems.push(message));
    await look(page, problems);
    await context.close();
  }

  it.each([
    { what: 'every page', view: 'phone', colorScheme: 'dark', looked: paths },
    { what: 'pages with pictures and tables', view: 'wide', colorScheme: 'light', looked: various },
  ] as const)('has $what complete and without errors: $view, $colorScheme', ({ looked, ...how }) =>
    withPage(how, async (page, problems) => {
      expect(paths.length).toBeGreaterThan(25);
      for (const path of looked) {
        const answer = await page.goto(server.url + path);
        await page.locator('.vp-doc h1').first().waitFor();
        const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        const isDark = await page.evaluate(`document.documentElement.classList.contains('dark')`);
        expect({ path, status: answer?.status(), isTooWide, isDark, problems }).toEqual({
          path,
          status: 200,
          isTooWide: false,
          isDark: how.colorScheme === 'dark',
          problems: [],
        });
      }
    }),
  );

  it('searches its pages without requests to other servers', () =>
    withPage({ view: 'wide', colorScheme: 'light' }, async (page, problems) => {
      const elsewhere: string[] = [];
      page.on('request', (request) => void (request.url().startsWith(server.url) || elsewhere.push(request.url())));
      await page.goto(server.url);
      const input = page.getByRole('searchbox');
      // The button does nothing until the page's script has run.
      await until(
        async () => {
          if (await input.isVisible()) return true;
          await page.getByRole('button', { name: 'Search' }).first().click({ timeout: 1_000 });
          return false;
        },
        { what: 'the search opens', everyMs: 200 },
      );
      await input.fill('fencing token');
      await page.locator('.result').first().click();
      await page.locator('.vp-doc', { hasText: 'fencing token' }).waitFor();
      expect([problems, elsewhere.filter((url) => !url.startsWith('data:'))]).toEqual([[], []]);
    }));
});
