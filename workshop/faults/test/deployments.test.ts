import type { Task } from '@switchyard/protocol';
import { deploymentOf } from '@switchyard/store';
import { expect, test } from 'vitest';
import { userMessage } from '../../../tests/support/messages.ts';
import { post } from '../../../tests/support/rest.ts';
import { patience, until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../system.ts';
import { dataSettings, RedisNode } from '../redis/redis-node.ts';
import {
  headersOf,
  listAs,
  readAs,
  sendAlong,
  startGateway,
  startWorker,
  subjects,
  writeDeployments,
} from '../workload/deployments.ts';

/** A busy machine is slow. */
const patient = { timeoutMs: 60_000 };

async function startNode(owned: AsyncDisposableStack, folder: string): Promise<RedisNode> {
  const node = owned.use(await RedisNode.create({ folder, settings: dataSettings }));
  await node.start();
  return node;
}

const urlOf = ({ port }: RedisNode): string => `redis://127.0.0.1:${port}`;
const isCompleted = async (url: string, subject: string, id: string): Promise<boolean> =>
  (await readAs<Task>(`${url}/tasks/${id}`, subject)).body.status.state === 'TASK_STATE_COMPLETED';

test('the loss of a Redis of three stops the tasks of its deployment only, until it is back', async () => {
  await using owned = new AsyncDisposableStack();
  const { path } = owned.use(await temporaryFolder());
  const nodes = await Promise.all([0, 1, 2].map(() => startNode(owned, path)));
  const entries = nodes.map((node, number) => ({ number, redisUrl: urlOf(node), shards: number + 1 }));
  for (const entry of entries) owned.adopt(await startWorker(entry), async (worker) => void (await worker.stop()));
  const env = { DEPLOYMENTS_FILE: await writeDeployments(path, entries), DEPLOYMENT: '0' };
  const gateways = [await startGateway(env), await startGateway({ ...env, DEPLOYMENT: '1' })];
  for (const { program } of gateways) owned.defer(async () => void (await program.stop()));
  const [first, second] = gateways.map(({ url }) => url);

  const send = (url = '', subject = '') =>
    post<{ task: Task }>(
      `${url}/message:send`,
      { message: userMessage('hello'), configuration: { returnImmediately: true } },
      headersOf(subject),
    );
  /** Sends until a task is accepted. @returns its id */
  const accepted = (url: string | undefined, subject: string, what: string): Promise<string> => {
    const sent = async (): Promise<string | false> => {
      const { status, body } = await send(url, subject);
      return status === 200 && body.task.id;
    };
    return until(sent, { what, ...patient });
  };
  const tasks = new Map<string, string>();
  for (const subject of subjects) tasks.set(subject, await accepted(first, subject, 'all deployments have the agent'));
  const numberOf = (subject: string): number => deploymentOf(tasks.get(subject) ?? '');
  expect(new Set(subjects.map(numberOf))).toEqual(new Set([0, 1, 2]));
  const statusOf = async (url: string | undefined, subject: string): Promise<number> =>
    (await readAs(`${url}/tasks/${tasks.get(subject)}`, subject)).status;
  for (const [subject, id] of tasks)
    await until(() => isCompleted(second ?? '', subject, id), { what: 'the task has ended', ...patient });

  await nodes[1]?.kill();
  const isLost = (subject: string): boolean => numberOf(subject) === 1;
  const lost = subjects.find(isLost) ?? '';
  await until(async () => (await statusOf(first, lost)) === 503, { what: 'the loss is noticed', ...patient });
  // A gateway that starts meanwhile does without it, also if it serves its operators.
  const late = await startGateway({ ...env, DEPLOYMENT: '1' });
  owned.defer(async () => void (await late.program.stop()));
  await late.program.waitFor(/"deployment":1.*a deployment does not answer/);
  for (const url of [first, second, late.url])
    for (const subject of subjects) {
      const expected = isLost(subject) ? 503 : 200;
      expect([subject, await statusOf(url, subject)]).toEqual([subject, expected]);
      expect([subject, (await readAs(`${url}/tasks`, subject)).status]).toEqual([subject, expected]);
      const sent = await send(url, subject);
      expect([subject, sent.status]).toEqual([subject, expected]);
      if (isLost(subject)) expect(Number(sent.headers.get('retry-after'))).toBeGreaterThan(0);
      else await until(() => isCompleted(url ?? '', subject, sent.body.task.id), { what: 'others go on', ...patient });
    }

  await nodes[1]?.start();
  for (const url of [first, second, late.url]) {
    await until(async () => (await statusOf(url, lost)) === 200, { what: 'its tasks are back', ...patient });
    const id = await accepted(url, lost, 'it takes tasks again');
    await until(() => isCompleted(url ?? '', lost, id), { what: 'its worker goes on', ...patient });
  }
});

test('SHARDS grow while clients send: no message is lost, refused or accepted twice, and lists are whole', async () => {
  await using owned = new AsyncDisposableStack();
  const { path } = owned.use(await temporaryFolder());
  const redisUrl = urlOf(await startNode(owned, path));
  const old = { number: 0, redisUrl, prefix: 'old' };
  const next = { number: 1, redisUrl, prefix: 'next', shards: 8 };
  owned.adopt(await startWorker(old), async (worker) => void (await worker.stop()));
  const alone = { REDIS_URL: redisUrl, KEY_PREFIX: 'old' };
  const begunMs = performance.now();
  const gateways = [await startGateway(alone), await startGateway(alone)];
  const startedInMs = performance.now() - begunMs;
  owned.defer(async () => void (await Promise.all(gateways.map(({ program }) => program.stop()))));
  const running = new Set(gateways.map(({ url }) => url));
  let isOver = false;
  const clients = subjects.map((subject) =>
    sendAlong({ subject, urls: () => [...running], isOver: () => isOver, pauseMs: 250 }),
  );

  owned.adopt(await startWorker(next), async (worker) => void (await worker.stop()));
  // Gateways with the file and without it run side by side until then. To replace both takes as long as to start them.
  const switchMs = Date.now() + Math.min(15_000 + 6 * startedInMs, 30_000 * patience);
  const at = new Date(switchMs).toISOString();
  const file = await writeDeployments(path, [
    { ...old, closedAt: at },
    { ...next, opensAt: at },
  ]);
  for (const replaced of [...gateways]) {
    const gateway = await startGateway({ DEPLOYMENTS_FILE: file });
    gateways.push(gateway);
    running.add(gateway.url);
    running.delete(replaced.url);
    await replaced.program.stop();
  }
  expect(Date.now()).toBeLessThan(switchMs);
  const isAfter = async (): Promise<boolean> => Date.now() > switchMs + 5_000;
  await until(isAfter, { what: 'the time has come', ...patient });
  isOver = true;

  const sent = await Promise.all(clients);
  expect(sent.flatMap(({ problems }) => problems)).toEqual([]);
  const numbers = sent.flatMap(({ tasks }) => [...tasks.values()].map(deploymentOf));
  expect(new Set(numbers)).toEqual(new Set([0, 1]));
  for (const [i, { tasks }] of sent.entries()) {
    const [subject = '', url = ''] = [subjects[i], [...running][i % 2]];
    const ids = [...new Set(tasks.values())];
    expect(ids).toHaveLength(tasks.size);
    for (const id of ids) await until(() => isCompleted(url, subject, id), { what: 'the task has ended', ...patient });
    const listed = await listAs(url, subject);
    expect(new Set(listed.ids)).toEqual(new Set(ids));
    expect([listed.ids.length, listed.totalSize]).toEqual([ids.length, ids.length]);
  }
});
