import { taskDetailSchema } from '@switchyard/operator-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { post, send } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

interface Line {
  readonly level: number;
  readonly app: string;
  readonly time: number;
  readonly event: string;
  readonly task?: string;
  readonly worker?: string;
  readonly request?: string;
}

const adminKey = 'a-key-for-operators';
const [INFO, WARN, ERROR] = [30, 40, 50];

let redis: TestRedis;
let stack: Stack;
let adminUrl: string;

beforeAll(async () => {
  redis = await startRedis();
  const env = {
    LOG_LEVEL: 'info',
    ADMIN_PORT: '0',
    ADMIN_KEY: adminKey,
    MAX_ATTEMPTS: '2',
    PUSH_SECRET: 'a-secret-of-webhooks-that-is-long',
  };
  stack = await startStack({ redisUrl: redis.url, agents: ['echo', 'teller'], env });
  [, adminUrl = ''] = (await stack.gateways[0]?.waitFor(/"adminUrl":"([^"]+)"/)) ?? [];
});

afterAll(async () => {
  await stack.stop();
  await redis.stop();
});

/** The lines of all gateways and workers that ever ran; only those of a task if it is given. */
function lines(task?: string): Line[] {
  const all = stack.programs.flatMap((program) => program.output().split('\n'));
  const parsed = all.filter((line) => line.startsWith('{')).map((line): Line => JSON.parse(line));
  const sorted = parsed.sort((a, b) => Number(a.app === 'worker') - Number(b.app === 'worker') || a.time - b.time);
  return task === undefined ? sorted : sorted.filter((line) => line.task === task);
}

const events = (task: string): string[] => lines(task).map(({ event }) => event);

/** Gateway and worker write to pipes of their own, so that the line of one may come after a later one of the other. */
const isLogged = (task: string, ...wanted: string[]) => wanted.every((event) => events(task).includes(event));

function ask(path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
  return fetch(adminUrl + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
}

it('the log has each step of a task once, with the same field names in gateway and worker', async () => {
  const { id, contextId } = await send(stack.urls[0] ?? '', userMessage('hello'));
  await until(() => events(id).length >= 3, { what: 'its end is logged' });
  const [accepted, begun, ended] = lines(id);
  const task = { task: id, context: contextId, agent: 'echo', tenant: 'default', level: INFO };
  expect(accepted).toMatchObject({ ...task, app: 'gateway', event: 'message-accepted', request: expect.any(String) });
  const turn = { ...task, app: 'worker', worker: expect.any(String), attempt: 1, request: accepted?.request };
  expect(begun).toMatchObject({ ...turn, event: 'turn-begun', waitedMs: expect.any(Number) });
  expect(ended).toMatchObject({ ...turn, event: 'turn-ended', outcome: 'TASK_STATE_COMPLETED' });
  expect(events(id)).toHaveLength(3);
});

it("the log has an agent's own entries without secrets, and the request id also for agents that it calls", async () => {
  const headers = { 'x-request-id': 'from-the-client-17' };
  const url = `${stack.urls[0]}/agents/teller/message:send`;
  const { body } = await post<{ task: { id: string } }>(url, { message: userMessage('hello') }, headers);
  const ofRequest = () => lines().filter(({ request }) => request === 'from-the-client-17');
  const ends = () => ofRequest().filter(({ event }) => event === 'turn-ended');
  await until(() => ends().length === 2, { what: 'the ends of both turns are logged' });
  const said = ofRequest().find(({ event }) => event === 'agent-log');
  expect(said).toMatchObject({ level: INFO, msg: 'Told', task: body.task.id, agent: 'teller', attempt: 1 });
  expect(said).toMatchObject({ fields: { words: 'hello', password: '[left out]', key: '[left out]' } });
  expect(stack.programs.map((program) => program.output()).join()).not.toMatch(/hunter2|a-secret-of-webhooks/);
});

it('the log has no line that a client has written into a text, not even in a warning of a library', async () => {
  const authentication = { schemes: ['Bearer', 'x\n{"level":50,"event":"forged"}'] };
  const configuration = {
    blocking: false,
    pushNotificationConfig: { url: 'https://example.com/hook', authentication },
  };
  const message = { kind: 'message', messageId: 'forged', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
  const request = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message, configuration } };
  expect((await post(stack.urls[0] ?? '', request)).status).toBe(200);
  const { id } = await send(stack.urls[0] ?? '', userMessage('hello'));
  await until(() => events(id).length === 3, { what: 'a later task is logged' });
  expect(lines().filter(({ event }) => event === 'forged')).toEqual([]);
});

it('the log has failed attempts and their retries', async () => {
  const { id } = await send(stack.urls[0] ?? '', userMessage('retry 2'));
  await until(() => isLogged(id, 'message-accepted', 'turn-ended'), { what: 'its end is logged' });
  expect(events(id)).toEqual(['message-accepted', 'turn-begun', 'turn-given-back', 'turn-begun', 'turn-ended']);
  const [, , back] = lines(id);
  expect(back).toMatchObject({ level: WARN, attempt: 1, isSpent: true, outcome: 'retry', retryInMs: 50 });
});

it("the log has each worker killed by a message, and the message's failure as an error", async () => {
  const [url = ''] = stack.urls;
  const body = { message: userMessage('slow 60000'), configuration: { returnImmediately: true } };
  const { body: answer } = await post<{ task: { id: string } }>(`${url}/message:send`, body);
  const { id } = answer.task;
  for (const event of ['turn-begun', 'turn-taken-over']) {
    await until(() => isLogged(id, event), { what: `${event} is logged`, timeoutMs: 20_000 });
    const [victim] = stack.workers;
    await stack.addWorker();
    victim?.kill('SIGKILL');
  }
  await until(() => isLogged(id, 'message-accepted', 'turn-given-up'), {
    what: 'its failure is logged',
    timeoutMs: 20_000,
  });
  expect(events(id).sort()).toEqual(['message-accepted', 'turn-begun', 'turn-given-up', 'turn-taken-over']);
  const line = (event: string): Line | undefined => lines(id).find((each) => each.event === event);
  const from = line('turn-begun')?.worker;
  expect(line('turn-taken-over')).toMatchObject({ level: WARN, attempt: 2, takenOverFrom: from, context: id });
  const given = { attempts: 2, agent: 'echo', tenant: 'default', request: line('message-accepted')?.request };
  expect(line('turn-given-up')).toMatchObject({ level: ERROR, ...given });

  // The same for operators, with the task; and not for its client.
  const read: unknown = await (await ask(`/admin/tasks/${id}?timeline=true`)).json();
  const { diagnosis, timeline, reason } = taskDetailSchema.parse(read);
  const ends = timeline?.entries.flatMap((entry) =>
    entry.kind === 'attempt' ? [[entry.end, entry.failure?.kind]] : [],
  );
  expect(ends).toEqual([
    ['taken-over', 'worker-lost'],
    ['gave-up', 'worker-lost'],
  ]);
  expect([diagnosis.finding, reason?.kind, diagnosis.text]).toEqual([
    'failed',
    'worker-lost',
    `The task failed (worker-lost): Worker ${line('turn-taken-over')?.worker} stopped while it ran the attempt. It was attempt 2.`,
  ]);
  expect(await (await fetch(`${url}/tasks/${id}`, { headers: { 'a2a-version': '1.0' } })).text()).not.toMatch(/lost/);
});

it('operators can change the log level of all processes, and reset it', async () => {
  const changed = (level: string): number =>
    lines().filter((line) => line.event === 'log-level' && 'logLevel' in line && line.logLevel === level).length;
  const running = stack.gateways.length + stack.workers.length;
  expect(await (await ask('/admin/log-level')).json()).toEqual({ forMs: 0 });
  const order = await (await ask('/admin/log-level', { level: 'debug', forMs: 60_000 })).json();
  expect(order).toMatchObject({ level: 'debug', forMs: expect.any(Number) });
  await until(() => changed('debug') === running, { what: 'all processes log at level debug' });
  await fetch(`${stack.urls[0]}/tasks/none`);
  await until(() => lines().some(({ event }) => event === 'answered'), { what: 'a request is logged' });
  // A process that starts in the meantime uses it, too.
  await stack.addWorker();
  expect(changed('debug')).toBe(running + 1);

  await ask('/admin/log-level', { level: 'debug', forMs: 0 });
  await until(() => changed('info') === running + 1, { what: 'all processes log at the usual level' });
  const refused = await ask('/admin/log-level', { level: 'loud' });
  expect(refused.status).toBe(400);
});

it('SIGUSR2 changes the log level of one process', async () => {
  const [worker] = stack.workers;
  worker?.kill('SIGUSR2');
  await worker?.waitFor(/"event":"log-level","logLevel":"debug"/);
});
