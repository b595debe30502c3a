import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Section {
  readonly text: string;
  readonly pages: readonly string[];
}

/** Every page has its place; one that is not named here stands under “More”. */
const sections: readonly Section[] = [
  { text: 'Begin', pages: ['quick-start', 'your-own-folder', 'concepts', 'comparison', 'limits'] },
  {
    text: 'Agents',
    pages: [
      'agents',
      'broken-agents',
      'executors',
      'models',
      'existing-agents',
      'steps-and-calls',
      'conversations',
      'files',
      'agent-cards',
      'discovery',
      'push',
      'mcp',
    ],
  },
  { text: 'Move here', pages: ['migrate-sdk', 'migrate-langgraph', 'migrate-bullmq'] },
  {
    text: 'Operate',
    pages: [
      'deploy',
      'kubernetes',
      'operations',
      'console',
      'command-line',
      'settings',
      'authentication',
      'scaling',
      'load-testing',
      'failure-drills',
      'upgrades',
      'backup',
      'metrics',
      'traces',
      'logs',
    ],
  },
  { text: 'What holds', pages: ['guarantees', 'conformance', 'extensions/', 'a2a-1-1', 'security', 'performance'] },
  { text: 'Inside', pages: ['architecture', 'turns', 'redis-keys', 'releasing', 'adr/'] },
];

/** @param docs the folder of the pages */
export function sidebar(docs: string) {
  const named = new Set(sections.flatMap(({ pages }) => pages));
  const others = globSync('*.md', { cwd: docs })
    .map((file) => file.replace(/\.md$/, ''))
    .filter((page) => page !== 'README' && !named.has(page))
    .sort();
  const all = others.length > 0 ? [...sections, { text: 'More', pages: others }] : sections;
  return all.map(({ text, pages }) => ({
    text,
    collapsed: false,
    items: pages.map((page) => ({ text: titleOf(docs, page), link: `/${page}` })),
  }));
}

/** Its first heading. */
function titleOf(docs: string, page: string): string {
  const file = join(docs, page.endsWith('/') ? `${page}README.md` : `${page}.md`);
  return /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1]?.replaceAll('`', '') ?? page;
}
