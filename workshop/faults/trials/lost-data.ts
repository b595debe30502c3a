import { setTimeout as delay } from 'node:timers/promises';
import { openEventStream } from '../../../tests/support/event-stream.ts';
import { userMessage } from '../../../tests/support/messages.ts';
import { post } from '../../../tests/support/rest.ts';
import { until } from '../../../tests/support/until.ts';
import { startScene } from '../workload/scene.ts';
import { type Finding, seconds } from './finding.ts';

const OPEN = 20;
const ENDS_WITHIN_MS = 15_000;
const BACK_WITHIN_MS = 10_000;

/** FLUSHALL, with streams open and callers that wait. */
export async function measureLostData(): Promise<Finding[]> {
  await using scene = await startScene({ env: { BLOCKING_WAIT_MS: '60000' } });
  const { url, client, node } = scene;
  let closed = 0;
  const note = (): void => void closed++;
  for (let n = 0; n < OPEN; n++) {
    const task = await client.send(userMessage('wait 600000'), true);
    const stream = await openEventStream(`${url}/tasks/${task.id}:subscribe`);
    stream.rest().then(note, note);
    const waits = { message: userMessage('wait 600000'), configuration: { returnImmediately: false } };
    post(`${url}/message:send`, waits).then(note, note);
  }
  await delay(1_000);
  const lostAt = performance.now();
  await node.ask('FLUSHALL');
  const isBack = async (): Promise<boolean> => {
    const task = await client.send(userMessage('talk 0 again'), false);
    return task.status.state === 'TASK_STATE_COMPLETED';
  };
  const backMs = await until(isBack, { what: 'a new task is completed', timeoutMs: 30_000 }).then(
    () => performance.now() - lostAt,
    () => Number.POSITIVE_INFINITY,
  );
  await until(() => closed === 2 * OPEN, { what: 'all are closed', timeoutMs: ENDS_WITHIN_MS }).catch(() => undefined);
  const hanging = 2 * OPEN - closed;
  return [
    { what: 'FLUSHALL: streams and calls that hang', value: hanging, isGood: hanging === 0 },
    {
      what: `FLUSHALL: until new tasks are completed (bar ${seconds(BACK_WITHIN_MS)})`,
      value: seconds(backMs),
      isGood: backMs < BACK_WITHIN_MS,
    },
  ];
}
