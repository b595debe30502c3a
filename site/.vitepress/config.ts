import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Rollup } from 'vite';
import { defineConfig, type MarkdownRenderer } from 'vitepress';
import { anchorOf } from '../../scripts/docs/headings.ts';
import { sidebar } from './sidebar.ts';

const repositoryFolder = resolve(import.meta.dirname, '../..');
const icon = readFileSync(resolve(repositoryFolder, 'apps/console/src/icon.svg'), 'utf8');

// In a workflow of GitHub: where the sources are, and below which path the site lies.
const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY, SITE_BASE = '/' } = process.env;
const sources = GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;

export default defineConfig({
  title: 'Switchyard',
  description: 'A gateway for A2A 1.0 agents, with a message queue behind it',
  lang: 'en',
  base: SITE_BASE,
  srcDir: '../docs',
  outDir: '../build/site',
  cacheDir: './node_modules/.cache',
  cleanUrls: true,
  // On GitHub a folder shows its README.
  rewrites: { 'README.md': 'index.md', 'adr/README.md': 'adr/index.md', 'extensions/README.md': 'extensions/index.md' },
  markdown: {
    anchor: { slugify: anchorOf },
    // What GitHub has no name for, such as `text`, is shown as it is.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      leadOn(md);
      hideNotes(md);
    },
  },
  head: [
    ['meta', { name: 'color-scheme', content: 'light dark' }],
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
  ],
  vite: { plugins: [{ name: 'resolve-vue-here', enforce: 'pre', resolveId: resolveVueHere }] },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Agents', link: '/agents' },
      { text: 'Operations', link: '/operations' },
      { text: 'Compare', link: '/comparison' },
    ],
    sidebar: sidebar(resolve(repositoryFolder, 'docs')),
    outline: { level: [2, 3] },
    ...(sources && {
      socialLinks: [{ icon: 'github', link: sources }],
      editLink: { pattern: `${sources}/edit/main/docs/:path`, text: 'Edit this page' },
    }),
    footer: { message: 'Apache License 2.0' },
  },
});

/** The pages lie beside this folder, and become modules that import Vue: it is installed in this one. */
function resolveVueHere(this: Rollup.PluginContext, source: string, importer: string | undefined) {
  const isOfPage = importer?.startsWith(resolve(repositoryFolder, 'docs'));
  return isOfPage && /^vue(?:\/|$)/.test(source) ? this.resolve(source, import.meta.filename) : undefined;
}

/** On GitHub a folder shows its README.md, here its index. A link to a file beyond `docs` leads to the repository. */
function leadOn(md: MarkdownRenderer): void {
  md.core.ruler.after('inline', 'lead-on', ({ tokens, env }) => {
    const folder = resolve(repositoryFolder, 'docs', env.relativePath ?? '', '..');
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open');
    for (const link of links) link.attrSet('href', hrefFor(link.attrGet('href') ?? '', folder));
  });
}

function hrefFor(link: string, folder: string): string {
  const [, path = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
  if (/^(?:\w+:|\/|$)/.test(path)) return link;
  const file = resolve(folder, path).slice(repositoryFolder.length + 1);
  if (file.startsWith('docs/')) return path.replace(/README\.md$/, 'index.md') + hash;
  return sources ? `${sources}/blob/main/${file}${hash}` : `#outside:${file}`;
}

/** What the info string of a block says to its test (`sh no-run="…"`) is nothing for readers. */
function hideNotes(md: MarkdownRenderer): void {
  md.core.ruler.after('block', 'hide-notes', ({ tokens }) => {
    for (const token of tokens) if (token.type === 'fence') token.info = token.info.replace(/ .*$/, '');
  });
}
