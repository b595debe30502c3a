import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '@switchyard/protocol';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { consolePage } from '../../../tests/support/console-page.ts';
import { userMessage } from '../../../tests/support/messages.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { post } from '../../../tests/support/rest.ts';
import { type Stack, startStack } from '../../../tests/support/stack.ts';
import { hasBrowser, openPage, sharedBrowser } from './support/browser.ts';

// Starts at the list of tasks. With SCREENSHOTS=<folder> each finding is saved there as a picture.

const key = 'a-key-for-operators';
const ann = { 'x-api-key': 'a-key-for-ann-of-acme' };
const bob = { 'x-api-key': 'a-key-for-bob-of-globex' };
const team = ['agent', 'product', 'design', 'frontend', 'backend'].map((name) => `examples/coding-team/${name}.ts`);

describe.runIf(hasBrowser)('a new user finds in the console, within two clicks,', () => {
  let folder: string;
  let env: Readonly<Record<string, string>>;
  let stack: Stack;
  let browser: Browser;
  let url: string;
  let adminUrl: string;
  const others: Program[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-newcomer-'));
    env = {
      KEY_PREFIX: uniquePrefix(),
      DEFAULT_AGENT: 'coding-team',
      AUTH: 'api-key',
      API_KEYS: 'a-key-for-ann-of-acme:ann:acme,a-key-for-bob-of-globex:bob:globex',
      WORKSPACES: join(folder, 'workspaces'),
      CODER_STEP_MS: '200',
      CODING_SANDBOX: 'off',
    };
    const agents = [...team, 'examples/echo/agent.ts', 'tests/support/agents/till.ts'];
    const operators = { ADMIN_PORT: '0', ADMIN_KEY: key };
    [stack, browser] = await Promise.all([
      startStack({ redisUrl: inject('redisUrl'), agents, env: { ...env, ...operators } }),
      sharedBrowser(),
      consolePage(),
    ]);
    [url = ''] = stack.urls;
    adminUrl = stack.gateways[0]?.output().match(/"adminUrl":"([^"]+)"/)?.[1] ?? '';
  });

  afterAll(async () => {
    await Promise.all([stack?.stop(), ...others.map((worker) => worker.stop(0))]);
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a worker for an agent of tests/support/agents. */
  async function workerOf(agent: string): Promise<Program> {
    const worker = await startProgram({
      file: 'apps/worker/src/main.ts',
      args: ['--agents', `tests/support/agents/${agent}.ts`],
      env: { ...env, REDIS_URL: inject('redisUrl'), LOG_LEVEL: 'debug', DRAIN_MS: '0' },
    });
    others.push(worker);
    await worker.waitFor(/"event":"started"/, 25_000);
    return worker;
  }

  async function send(agent: string, text: string, sender = ann): Promise<Task> {
    const body = { message: userMessage(text), configuration: { returnImmediately: true } };
    const answer = await post<{ task: Task }>(`${url}/agents/${agent}/message:send`, body, sender);
    expect(answer.status).toBe(200);
    return answer.body.task;
  }

  const order = (path: string) => post(`${adminUrl}/admin/${path}`, {}, { authorization: `Bearer ${key}` });

  /** Opens the list of tasks, and counts the clicks from there. */
  async function explore(name: string, find: (page: Page, click: (task: Task) => Promise<void>) => Promise<unknown>) {
    await using opened = await openPage(browser, { url: adminUrl, key, path: '/tasks' });
    const { page, problems } = opened;
    let clicks = 0;
    await find(page, async ({ id }) => {
      clicks++;
      await page.locator(`a[href$="/tasks/${id}"]`).click();
    });
    await takePicture(page, `console-${name}`);
    expect(clicks).toBeLessThanOrEqual(2);
    expect(problems).toEqual([]);
  }

  /** Expects the reason for the task's state on its page. */
  const finds = (name: string, task: Task, words: RegExp) =>
    explore(name, async (page, click) => {
      await click(task);
      const finding = page.getByRole('region', { name: 'Why it is where it is' });
      await finding.getByText(words).waitFor();
    });

  it('the progress of a team from the first message to its result', async () => {
    const task = await send('coding-team', 'Build a login system');
    await explore('follow-coding-team', async (page, click) => {
      await click(task);
      await page.getByText('Build a login system').first().waitFor();
      await page.getByText('product begins.').waitFor();
      await page.getByText('backend is done.').waitFor();
      await page.getByRole('heading', { name: 'Result' }).waitFor();
      await page.locator('.page-head').getByText('Completed').waitFor();
      const timeline = page.locator('.timeline');
      for (const line of ['In the queue', 'plan', 'product', 'design', 'frontend', 'backend', 'conclusion'])
        await timeline.getByText(line, { exact: true }).first().waitFor();
    });
  });

  it('that no worker runs an agent', async () => {
    const worker = await workerOf('stepper');
    await order('agents/stepper:pause');
    const task = await send('stepper', 'Go');
    await worker.stop();
    await order('agents/stepper:resume');
    await finds('stuck-no-worker', task, /^No (?:live )?worker/);
  });

  it('that an agent is paused, and resumes it with one more click', async () => {
    await order('agents/echo:pause');
    const task = await send('echo', 'Hello there');
    await finds('stuck-paused', task, /"echo" is paused/);
    await explore('resumed', async (page, click) => {
      await click(task);
      await page.getByRole('button', { name: 'Resume echo' }).click();
      await page.locator('.page-head').getByText('Completed').waitFor();
    });
  });

  it('that a worker is frozen', async () => {
    const worker = await workerOf('typist');
    const task = await send('typist', '100000');
    await explore('stuck-frozen', async (page, click) => {
      await click(task);
      await page.getByText('line 10').waitFor();
      worker.kill('SIGSTOP');
      await page.getByText(/has not answered for/).waitFor();
    });
    worker.kill('SIGKILL');
  });

  it('that a task waits for an answer, and answers it', async () => {
    const task = await send('echo', 'ask');
    await finds('stuck-input', task, /waits for an answer/);
    await explore('answered', async (page, click) => {
      await click(task);
      await page.getByLabel('Your answer').fill('A large one');
      await page.locator('form').getByRole('button', { name: 'Answer' }).click();
      await page.getByText('A large one').first().waitFor();
    });
  });

  it('that a tenant has more than its share', async () => {
    await send('till', '20000');
    const [, , last] = await Promise.all([send('till', '10'), send('till', '10'), send('till', '10')]);
    await send('till', '10', bob);
    await finds('stuck-over-share', last, /Tenant "acme" has \d of \d tasks/);
  });
});

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const clip = { x: 0, y: 0, width: 1_280, height: name.includes('stuck') ? 440 : 800 };
  await page.screenshot({ path: join(folder, `${name}.png`), clip });
}
