// Takes the pictures of the console in docs/images, of a deployment that it starts for that.
//
//   node scripts/take-screenshots.ts
//
// Those of failed tasks: take-failure-screenshots.ts

import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { priorityUri, scheduleUri } from '@switchyard/protocol';
import { openBrowser, openPage, type ViewOptions } from '../apps/console/test/support/browser.ts';
import { startRedis } from '../tests/support/redis.ts';
import { startStack } from '../tests/support/stack.ts';
import { until } from '../tests/support/until.ts';
import { buildConsole } from './console/build-console.ts';

const key = randomUUID();
const folder = 'docs/images';

/** Agent and words: the first is the oldest. */
const messages: readonly (readonly [agent: string, text: string])[] = [
  ['echo', 'Hello there'],
  ['echo', 'fail'],
  ['echo', 'stream 40'],
  ['pizza', 'Do you have pineapple?'],
  ['echo', 'reject'],
  ['coding-team', 'Build a page that lists our open invoices, newest first'],
  ['echo', 'Translate the minutes of Monday into Portuguese'],
  ['pizza', 'A Hawaiian pizza, please'],
  ['echo', 'auth'],
  ['pizza', 'I want a pizza'],
  ['coding-team', 'Add a dark mode to the settings page'],
  ['echo', 'slow 60000'],
  ['echo', 'slow 45000'],
];

const scheduled: readonly (readonly [agent: string, text: string, schedule: object])[] = [
  ['coding-team', 'Update our dependencies', { cron: '0 6 * * MON', timeZone: 'Europe/Berlin' }],
  ['pizza', 'A pizza for everybody, please', { cron: '30 11 * * FRI', timeZone: 'Europe/Berlin' }],
  ['echo', 'Remind me of the review', { at: new Date(Date.now() + 5_400_000).toISOString() }],
];

await buildConsole();
await mkdir(folder, { recursive: true });
// It ends with this process at the latest.
const redis = await startRedis();
const prices = join(await mkdtemp(join(tmpdir(), 'screenshots-')), 'prices.json');
const price = { inputPerMillion: 1_250_000, outputPerMillion: 10_000_000 };
await writeFile(prices, JSON.stringify({ date: '2026-01-01', models: { scripted: [price] } }));
const env = { ADMIN_PORT: '0', ADMIN_KEY: key, MODEL_PRICES: prices };
const team = ['product', 'design', 'frontend', 'backend'].map((name) => `examples/coding-team/${name}.ts`);
const agents = ['pizza', 'echo', 'coding-team', ...team];
const stack = await startStack({ redisUrl: redis.url, agents, env });
const [gateway] = stack.gateways;
const url = gateway?.output().match(/"adminUrl":"([^"]+)"/)?.[1] ?? '';
for (const [agent, text] of messages) await send(`${gateway?.url}/agents/${agent}`, text);
for (const [agent, text, schedule] of scheduled)
  await send(`${gateway?.url}/agents/${agent}`, text, { [scheduleUri]: schedule });
const teamTask = await until(() => lastTask('coding-team'), { what: 'the team is done', timeoutMs: 60_000 });
const browser = await openBrowser();

await picture('console-overview', '/overview');
await picture('console-tasks', '/tasks');
await picture('console-tasks-dark', '/tasks', { scheme: 'dark' });
await picture('console-tasks-phone', '/tasks', { view: 'phone' });
await picture('console-task', `/tasks/${teamTask}`);
await picture('console-agents', '/agents');
await picture('console-inbox', '/inbox');
await picture('console-schedules', '/schedules');
await picture('console-usage', '/usage');
await tryAgent();
await pauseWithWaiting('design');
await picture('console-queues', '/queues');
await browser.close();
await stack.stop();
await redis.stop();

/** Its messages wait, with several priorities. */
async function pauseWithWaiting(agent: string): Promise<void> {
  await fetch(`${url}/admin/agents/${agent}:pause`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
  for (const priority of ['high', 'normal', 'normal', 'normal', 'low', 'low'])
    await send(`${gateway?.url}/agents/${agent}`, 'Describe the page', { [priorityUri]: { priority } });
  // The charts have a point each five seconds.
  await setTimeout(6_000);
}

async function send(agentUrl: string, text: string, metadata?: object): Promise<void> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata };
  const response = await fetch(`${agentUrl}/message:send`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      'a2a-extensions': `${scheduleUri},${priorityUri}`,
    },
    body: JSON.stringify({ message, configuration: { returnImmediately: true } }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function lastTask(agent: string): Promise<string | undefined> {
  const path = `${url}/admin/tasks?agent=${agent}&state=TASK_STATE_COMPLETED`;
  const response = await fetch(path, { headers: { authorization: `Bearer ${key}` } });
  const { tasks } = (await response.json()) as { tasks: readonly { taskId: string }[] };
  return tasks[0]?.taskId;
}

async function picture(name: string, path: string, look?: ViewOptions): Promise<void> {
  await using opened = await openPage(browser, { url, key, path }, look);
  await opened.page.getByText('Live', { exact: true }).waitFor();
  // Streams go on: the page is whole when it has stood still.
  await opened.page.waitForTimeout(1_500);
  await opened.page.screenshot({ path: `${folder}/${name}.png` });
}

async function tryAgent(): Promise<void> {
  await using opened = await openPage(browser, { url, key, path: '/agents/pizza' });
  const { page } = opened;
  await page.getByRole('button', { name: 'I want a pizza' }).click();
  await page.getByText('Needs input').waitFor();
  await page.getByLabel('Message').fill('Hawaiian, please');
  await page.keyboard.press('Enter');
  await page.getByText('Completed').waitFor();
  await page.screenshot({ path: `${folder}/console-try.png` });
}
