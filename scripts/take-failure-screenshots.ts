// Takes the pictures of failed tasks in docs/images: `switchyard up` runs the agents of tests/support/broken-agents.
//
//   node scripts/take-failure-screenshots.ts

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isTerminal } from '@switchyard/protocol';
import { openBrowser, openPage } from '../apps/console/test/support/browser.ts';
import { userMessage } from '../tests/support/messages.ts';
import { startProgram } from '../tests/support/process.ts';
import { getTask, submit } from '../tests/support/rest.ts';
import { until } from '../tests/support/until.ts';
import { buildConsole } from './console/build-console.ts';

/** Agent, name of the picture, and its height: the next one may need a new worker, so they run one after the other. */
const pictures = [
  ['throws', 'console-failed', 780],
  ['rejects', 'console-failed-rejection', 500],
  ['hangs', 'console-failed-timed-out', 500],
  ['exits', 'console-failed-exited', 500],
  ['loops', 'console-failed-blocked', 500],
] as const;

await buildConsole();
const data = await mkdtemp(join(tmpdir(), 'switchyard-screenshots-'));
const up = await startProgram({
  file: resolve('apps/cli/src/main.ts'),
  args: ['up', ...pictures.map(([agent]) => `./agents/${agent}.ts`)],
  cwd: 'tests/support/broken-agents',
  env: { PORT: '0', DATA_DIR: data, MAX_ATTEMPTS: '1', MAX_BLOCKED_MS: '4000' },
});
const places = /ready on (http:\S+)[\s\S]*?Console: (http:\/\/[^/]+)\S*#key=(\S+)/;
const [, gateway = '', url = '', key = ''] = await up.waitFor(places, 60_000);
const browser = await openBrowser();
for (const [agent, name, height] of pictures) {
  const taskId = await failedTask(`${gateway}/agents/${agent}`);
  await using opened = await openPage(browser, { url, key, path: `/tasks/${taskId}` });
  await opened.page.getByRole('heading', { name: 'Timeline' }).waitFor();
  await opened.page.getByText('What to do').waitFor();
  await opened.page.screenshot({
    path: `docs/images/${name}.png`,
    clip: { x: 0, y: 0, width: 1_280, height },
  });
}
await browser.close();
await up.stop(10_000);
await rm(data, { recursive: true, force: true });

async function failedTask(agentUrl: string): Promise<string> {
  const { id } = await submit(agentUrl, userMessage('margherita'));
  const hasEnded = async () => isTerminal((await getTask(agentUrl, id)).status.state);
  await until(hasEnded, { what: 'the task ends', timeoutMs: 90_000 });
  return id;
}
