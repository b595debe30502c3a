import { afterEach, expect, test } from 'vitest';
import { openEventStream } from '../../../tests/support/event-stream.ts';
import { until } from '../../../tests/support/until.ts';
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

const message = (text: string) => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] });

/** One request, as it is answered. */
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

let told = 0;
/** Nothing is wrong with a task from its first message to its last event. */
async function expectWellTold(client: ResilientClient, kind: ScenarioKind): Promise<void> {
  const scenario = createScenario(kind, `k${told++}`, { size: 4, watches: 'sse' });
  expect((await playScenario(client, scenario)).violations).toEqual([]);
}

test('a Redis that is killed and started again has everything: running turns end, open streams go on', async () => {
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
  await expectWellTold(client, 'talk');
}, 60_000);

test('while Redis does not answer, requests are refused at once with a time to come back, and streams wait', async () => {
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
  await until(refused, { what: 'a refusal without a wait', timeoutMs: 5_000 });
  node.thaw();
  expect((await stream.rest()).some(({ data }) => endsTask(data))).toBe(true);
  await expectWellTold(client, 'files');
}, 60_000);

test('a Redis that has no memory left refuses messages whole: nothing is half written, what runs goes on later, and a cancel is taken', async () => {
  const { node, client, url } = await scene();
  const task = await client.send(message('stream 60 k'), true);
  const unwanted = await client.send(message('wait 600000'), true);
  await node.ask('CONFIG SET maxmemory 1');
  const keys = async () => (await node.ask('KEYS *{s0}:[tm]:*')).split('\r\n').sort();
  const before = await keys();
  for (let n = 0; n < 20; n++) expect(await submit(url)).toMatchObject({ status: 503, retryAfter: '1' });
  expect(await keys()).toEqual(before);
  expect((await fetch(`${url}/tasks/${unwanted.id}:cancel`, { method: 'POST' })).status).toBe(200);
  await until(async () => (await client.read(unwanted.id)).status.state === 'TASK_STATE_CANCELED', {
    what: 'the task is canceled',
  });
  await node.ask('CONFIG SET maxmemory 0');
  expect((await watchTask(client, task.id)).problems).toEqual([]);
  await expectWellTold(client, 'talk');
}, 60_000);

test('a master that became a replica refuses writes; when it is a master again, all goes on', async () => {
  const { node, client, url } = await scene({ STORE_TIMEOUT_MS: '1000' });
  await node.ask('REPLICAOF 127.0.0.1 1');
  expect(await submit(url)).toMatchObject({ status: 503, retryAfter: '1' });
  await node.ask('REPLICAOF NO ONE');
  await expectWellTold(client, 'stream');
}, 60_000);

test('scripts that are flushed and connections that are killed, again and again, are not noticed', async () => {
  const { node, client } = await scene();
  const scenarios = (['stream', 'talk', 'files', 'wait'] as const).map((kind) => expectWellTold(client, kind));
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
}, 60_000);

test('credentials that Redis refuses any more are in no log, and neither are messages; with new ones all goes on', async () => {
  const password = 'secret-of-this-redis';
  const { node, stack, client, url } = await scene({ STORE_TIMEOUT_MS: '1000' }, { password });
  await expectWellTold(client, 'talk');
  await node.changePassword('another-one');
  await until(async () => (await submit(url)).status !== 200, { what: 'a refusal' });
  await until(() => stack.programs.every((program) => program.output().includes('WRONGPASS')), {
    what: 'both have said why',
    timeoutMs: 15_000,
  });
  await node.changePassword(password);
  await expectWellTold(client, 'stream');
  expect(leakedSecrets(stack.programs, [password, CONFIDENTIAL])).toEqual([]);
}, 60_000);

test('a dead connection is replaced within seconds', async () => {
  const { redis, client, url } = await scene({}, { isProxied: true });
  await expectWellTold(client, 'talk');
  redis.proxy?.silence();
  await until(async () => (await submit(url)).status === 200, { what: 'an answer', timeoutMs: 15_000 });
  await expectWellTold(client, 'stream');
}, 60_000);

test('a worker and a gateway that are asked to stop while Redis is away do, and do not wait for it', async () => {
  const { node, stack, client, url } = await scene();
  const task = await client.send(message('stream 400 k'), true);
  const stream = await openEventStream(`${url}/tasks/${task.id}:subscribe?fromSeq=0`);
  await stream.until((data) => 'artifactUpdate' in data);
  await node.kill();
  const processes = [...stack.gateways, ...stack.workers];
  for (const program of processes) program.kill('SIGTERM');
  const codes = await Promise.all(processes.map(({ exited }) => exited));
  // 137 would be a SIGKILL after a timeout. The worker had a turn that it could not give back.
  expect(codes).toEqual([0, 1]);
}, 30_000);
