import { afterEach, expect, test } from 'vitest';
import { openEventStream } from '../../../tests/support/event-stream.ts';
import { patience, until } from '../../../tests/support/until.ts';
import { type SingleOptions, startSingle } from '../redis/deployments.ts';
import { playScenario } from '../workload/play-scenario.ts';
import { endsTask, type ResilientClient, watchTask } from '../workload/resilient-client.ts';
import { CONFIDENTIAL, createScenario, type ScenarioKind } from '../workload/scenario.ts';
import { type Scene, startScene } from '../workload/scene.ts';
import { leakedSecrets } from '../workload/violations.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function scene(env: Readonly<Record<string, string>> = {}, options: SingleOptions = {}): Promise<Scene> {
  const redis = await startSingle(options);
  open.push(redis);
  const started = await startScene({ redis, env });
  open.push(started);
  return started;
}

/** How long a small Redis is filled: ten minutes with FILL_MINUTES=10. */
const FILL_FOR_MS = Number(process.env.FILL_MINUTES ?? 0.2) * 60_000;
/** Free memory when the filling begins, and the size of a message. */
const FILL_BYTES = 3_000_000;
const FILL_MESSAGE = 20_000;

const message = (text: string) => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] });

/** Sends one request without retries. */
async function submit(
  url: string,
  text = 'talk 0 x',
): Promise<{ status: number; retryAfter: string | null; ms: number }> {
  const begun = performance.now();
  const response = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: message(text), configuration: { returnImmediately: true } }),
  });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after'), ms: performance.now() - begun };
}

/** Sends a large message to an agent that completes at once. @returns `id` of its task, if it was accepted */
async function submitLarge(url: string): Promise<{ status: number; id: string | undefined }> {
  const response = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      message: message(`talk 0 ${'x'.repeat(FILL_MESSAGE)}`),
      configuration: { returnImmediately: true },
    }),
  });
  const { task } = (await response.json()) as { task?: { id: string } };
  return { status: response.status, id: task?.id };
}

let played = 0;
/** Plays a scenario, and checks the task from its first message to its last event. */
async function expectNoViolations(client: ResilientClient, kind: ScenarioKind): Promise<void> {
  const scenario = createScenario(kind, `k${played++}`, { size: 4, watches: 'sse' });
  expect((await playScenario(client, scenario)).violations).toEqual([]);
}

test('a killed and restarted Redis has lost nothing: running turns end, open streams continue', async () => {
  const { node, client, url } = await scene();
  const task = await client.send(message('stream 40 k'), true);
  const stream = await openEventStream(`${url}/tasks/${task.id}:subscribe?fromSeq=0`);
  await stream.until((data) => 'artifactUpdate' in data);
  await node.kill();
  await node.start();
  const rest = await stream.rest();
  expect(rest.some(({ data }) => endsTask(data))).toBe(true);
  const { problems, events } = await watchTask(client, task.id);
  expect(problems).toEqual([]);
  expect(rest).toEqual([...events.values()].filter(({ id }) => id >= (rest[0]?.id ?? 0)));
  await expectNoViolations(client, 'talk');
});

test('while Redis is frozen, requests get 503 with Retry-After at once, and streams wait', async () => {
  const { node, client, url } = await scene({ STORE_TIMEOUT_MS: '2000' });
  const task = await client.send(message('stream 100 k'), true);
  const stream = await openEventStream(`${url}/tasks/${task.id}:subscribe?fromSeq=0`);
  await stream.until((data) => 'artifactUpdate' in data);
  node.freeze();
  expect(await submit(url)).toMatchObject({ status: 503, retryAfter: '1' });
  const refused = async () => {
    const answer = await submit(url);
    expect(answer).toMatchObject({ status: 503, retryAfter: '1' });
    return answer.ms < 200;
  };
  await until(refused, { what: 'a request is refused at once', timeoutMs: 5_000 });
  node.thaw();
  expect((await stream.rest()).some(({ data }) => endsTask(data))).toBe(true);
  await expectNoViolations(client, 'files');
});

test('a Redis without memory refuses messages as a whole, accepts a cancel, and turns continue later', async () => {
  const { node, client, url } = await scene();
  const task = await client.send(message('stream 60 k'), true);
  const unwanted = await client.send(message('wait 600000'), true);
  await node.ask('CONFIG SET maxmemory 1');
  // Besides `:f` and `:u`: why the attempts of the running turn failed, and what it used, which a full Redis takes, too.
  const keys = async () =>
    (await node.ask('KEYS *{s0}:[tm]:*'))
      .split('\r\n')
      .filter((line) => line.includes('{s0}') && !/:[fu]$/.test(line))
      .sort();
  const before = await keys();
  for (let n = 0; n < 20; n++) expect(await submit(url)).toMatchObject({ status: 503, retryAfter: '1' });
  expect(await keys()).toEqual(before);
  expect((await fetch(`${url}/tasks/${unwanted.id}:cancel`, { method: 'POST' })).status).toBe(200);
  await until(async () => (await client.read(unwanted.id)).status.state === 'TASK_STATE_CANCELED', {
    what: 'the task is canceled',
  });
  await node.ask('CONFIG SET maxmemory 0');
  expect((await watchTask(client, task.id)).problems).toEqual([]);
  await expectNoViolations(client, 'talk');
});

test(
  'a small Redis that is filled refuses only for a time, and loses no open task',
  async () => {
    const { node, client, url } = await scene({ MAKE_ROOM_AT: '75', RETENTION_MIN_MS: '1000', SWEEP_MS: '200' });
    const asks = await client.send(message('talk 1 x'), true);
    await until(async () => (await client.read(asks.id)).status.state === 'TASK_STATE_INPUT_REQUIRED', {
      what: 'the task waits for its client',
    });
    const long = await client.send(message('wait 600000'), true);
    const used = Number(/used_memory:(\d+)/.exec(await node.ask('INFO memory'))?.[1]);
    await node.ask(`CONFIG SET maxmemory ${used + FILL_BYTES}`);

    const ids: string[] = [];
    const end = Date.now() + FILL_FOR_MS;
    while (Date.now() < end) {
      const answers = await Promise.all(Array.from({ length: 16 }, () => submitLarge(url)));
      for (const { status, id } of answers) {
        if (id !== undefined) ids.push(id);
        else expect(status).toBe(503);
      }
    }
    // Tasks had to go, and refusals end.
    const isGone = async () => (await fetch(`${url}/tasks/${ids[0]}`)).status === 404;
    await until(isGone, { what: 'the oldest task is gone', timeoutMs: 20_000 });
    await until(async () => (await submitLarge(url)).status === 200, {
      what: 'a message is accepted',
      timeoutMs: 20_000,
    });

    expect((await client.read(asks.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect((await client.read(long.id)).status.state).toBe('TASK_STATE_WORKING');
    // The oldest are gone: each reader of them gets the answer for a task that has expired.
    for (const path of [`/tasks/${ids[0]}`, `/tasks/${ids[0]}:subscribe`]) {
      const answer = await fetch(url + path);
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('TASK_NOT_FOUND')]);
    }
    await client.cancel(long.id);
  },
  FILL_FOR_MS + 300_000 * patience,
);

test('requests get 503 while the master is a replica, and work when it is a master again', async () => {
  const { node, client, url } = await scene({ STORE_TIMEOUT_MS: '1000' });
  await node.ask('REPLICAOF 127.0.0.1 1');
  expect(await submit(url)).toMatchObject({ status: 503, retryAfter: '1' });
  await node.ask('REPLICAOF NO ONE');
  await expectNoViolations(client, 'stream');
});

test('clients do not notice flushed scripts and killed connections', async () => {
  const { node, client } = await scene();
  const scenarios = (['stream', 'talk', 'files', 'wait'] as const).map((kind) => expectNoViolations(client, kind));
  const disturbed = setInterval(() => {
    node.ask('SCRIPT FLUSH').catch(() => undefined);
    node.ask('CLIENT KILL TYPE normal SKIPME yes').catch(() => undefined);
    node.ask('CLIENT KILL TYPE pubsub').catch(() => undefined);
  }, 150);
  try {
    await Promise.all(scenarios);
  } finally {
    clearInterval(disturbed);
  }
});

test('refused Redis credentials are in no log, nor are messages, and work continues afterwards', async () => {
  const password = 'secret-of-this-redis';
  const { node, stack, client, url } = await scene({ STORE_TIMEOUT_MS: '1000' }, { password });
  await expectNoViolations(client, 'talk');
  await node.changePassword('another-one');
  await until(async () => (await submit(url)).status !== 200, { what: 'a request is refused' });
  await until(() => stack.programs.every((program) => program.output().includes('WRONGPASS')), {
    what: 'gateway and worker log the reason',
    timeoutMs: 15_000,
  });
  await node.changePassword(password);
  await expectNoViolations(client, 'stream');
  expect(leakedSecrets(stack.programs, [password, CONFIDENTIAL])).toEqual([]);
});

test('a dead connection is replaced within seconds', async () => {
  const { redis, client, url } = await scene({}, { isProxied: true });
  await expectNoViolations(client, 'talk');
  redis.proxy?.silence();
  await until(async () => (await submit(url)).status === 200, { what: 'a request is accepted', timeoutMs: 15_000 });
  await expectNoViolations(client, 'stream');
});

test('a worker and a gateway stop on SIGTERM while Redis is unreachable', async () => {
  const { node, stack, client, url } = await scene();
  const task = await client.send(message('stream 400 k'), true);
  const stream = await openEventStream(`${url}/tasks/${task.id}:subscribe?fromSeq=0`);
  await stream.until((data) => 'artifactUpdate' in data);
  await node.kill();
  const processes = [...stack.gateways, ...stack.workers];
  for (const program of processes) program.kill('SIGTERM');
  const codes = await Promise.all(processes.map(({ exited }) => exited));
  // 137 would be a SIGKILL after a timeout. The worker exits with 1, since it could not hand back its turn.
  expect(codes).toEqual([0, 1]);
});

test('a Redis that ends by itself says so to its test, with the end of its log', async () => {
  const redis = await startSingle();
  open.push(redis);
  const [node] = redis.nodes;
  await node?.ask('SHUTDOWN NOSAVE');
  await expect(node?.ask('PING')).rejects.toThrow(/has ended by itself with 0; its log ends with:.*bye bye/s);
  await node?.start();
  await node?.kill();
  await expect(node?.ask('PING')).rejects.toThrow('ECONNREFUSED');
});
