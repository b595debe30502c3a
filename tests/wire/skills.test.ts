import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentCard, type Message, skillUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { type ErrorBody, get, getTask, post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// Two gateways and two workers, each of which runs one turn of `print` and one of all other skills at a time.

let stack: Stack;
let here: string;
let there: string;
let folder: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skills-'));
  const env = { LEASE_MS: '1000', SWEEP_EVERY_MS: '200', SWEEP_AFTER_MS: '500' };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['skilled'], gateways: 2, workers: 2, env });
  [here = '', there = ''] = stack.urls;
});

afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

const activation = { 'a2a-extensions': skillUri };
const naming = (skill: unknown, text = 'hello'): Message => ({
  ...userMessage(text),
  metadata: { [skillUri]: { skill } },
});
const newFile = (): string => join(folder, `file-${files++}`);
const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);

async function submit(url: string, message: Message, headers: Record<string, string> = activation): Promise<Task> {
  const request = { message, configuration: { returnImmediately: true } };
  const { status, body } = await post<{ task: Task }>(`${url}/message:send`, request, headers);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body.task;
}

async function ended({ id }: Task, state = 'TASK_STATE_COMPLETED'): Promise<Task> {
  return until(
    async () => {
      const task = await getTask(there, id);
      return task.status.state === state && task;
    },
    { what: `task ${id} is ${state}`, timeoutMs: 20_000 },
  );
}

const answerOf = async (task: Task): Promise<unknown> => (await ended(task)).status.message?.parts[0]?.text;

describe('a message that names a skill', () => {
  it('runs with this skill, and the card lists the skills with their own queue', async () => {
    expect(await answerOf(await submit(here, naming('print')))).toBe('print');
    expect(await answerOf(await submit(here, naming('bind')))).toBe('bind');
    const { body } = await get<AgentCard>(`${here}/.well-known/agent-card.json`);
    const offered = body.capabilities.extensions?.find(({ uri }) => uri === skillUri);
    expect(offered?.params).toEqual({ skills: ['print'] });
  });

  it('runs while other skills occupy the workers, and the other way round', async () => {
    const file = newFile();
    const held = [await submit(here, userMessage(file)), await submit(there, userMessage(file))];
    await until(() => linesOf(file).length === 2, { what: 'both workers run an ordinary turn', timeoutMs: 20_000 });
    expect(await answerOf(await submit(here, naming('print')))).toBe('print');
    const waits = await submit(here, userMessage('hello'));
    const prints = [await submit(here, naming('print', file)), await submit(there, naming('print', file))];
    await until(() => linesOf(file).length === 4, { what: 'both workers print', timeoutMs: 20_000 });
    const oneMore = await submit(here, naming('print'));
    expect((await getTask(here, waits.id)).status.state).toBe('TASK_STATE_SUBMITTED');
    expect((await getTask(here, oneMore.id)).status.state).toBe('TASK_STATE_SUBMITTED');
    writeFileSync(`${file}.go`, '');
    expect(await Promise.all([...held, waits].map(answerOf))).toEqual(['-', '-', '-']);
    expect(await Promise.all([...prints, oneMore].map(answerOf))).toEqual(['print', 'print', 'print']);
  });

  it('stays in its queue when its worker is killed', async () => {
    const file = newFile();
    const task = await submit(here, naming('print', file));
    await until(() => linesOf(file).length === 1, { what: 'it runs', timeoutMs: 20_000 });
    const pid = Number(linesOf(file)[0]?.split(' ')[1]);
    process.kill(pid, 'SIGKILL');
    await until(() => linesOf(file).length === 2, { what: 'it runs again', timeoutMs: 20_000 });
    writeFileSync(`${file}.go`, '');
    expect(linesOf(file).map((line) => line.split(' ')[0])).toEqual(['print', 'print']);
    expect(await answerOf(task)).toBe('print');
    await stack.addWorker();
  });

  it('sets the queue also for later messages of its task', async () => {
    const asked = await ended(await submit(here, naming('print', 'ask')), 'TASK_STATE_INPUT_REQUIRED');
    expect(await answerOf(await submit(there, userMessage('hello', asked), {}))).toBe('print');
  });

  it('is refused with the list of skills if the agent has no such skill', async () => {
    for (const wrong of ['fly', 7, null]) {
      const { status, body } = await post<ErrorBody>(`${here}/message:send`, { message: naming(wrong) }, activation);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain('must be the id of a skill of this agent; they are print, bind');
    }
  });

  it('has no effect unless the request activates the extension', async () => {
    expect(await answerOf(await submit(here, naming('fly'), {}))).toBe('-');
  });
});
