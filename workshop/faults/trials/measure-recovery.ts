import { until } from '../../../tests/support/until.ts';
import type { ResilientClient } from '../workload/resilient-client.ts';
import { startScene } from '../workload/scene.ts';

export interface RecoveryOptions {
  /** Workers to kill, one after the other. */
  readonly rounds: number;
  /** Tasks that run all the while. */
  readonly tasks: number;
}

const WORKERS = 2;

/** From kill -9 of a worker until each of its turns runs on another one, in milliseconds. */
export async function measureRecovery({ rounds, tasks }: RecoveryOptions): Promise<number[]> {
  await using scene = await startScene({ workers: WORKERS, env: { MAX_ATTEMPTS: '100' } });
  const { client, stack } = scene;
  const sent = Array.from({ length: tasks }, (_, n) =>
    client.send({ messageId: `r${n}`, role: 'ROLE_USER', parts: [{ text: 'wait 600000' }] }, true),
  );
  const ids = (await Promise.all(sent)).map(({ id }) => id);
  const measured: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const pids = await Promise.all(ids.map((id) => pidOf(client, id)));
    // Not any worker: what comes at once may have been taken by one of them, all of it.
    const victim = stack.workers.find(({ pid }) => pids.includes(pid));
    const orphans = ids.filter((_, n) => pids[n] === victim?.pid);
    const killed = performance.now();
    victim?.kill('SIGKILL');
    await Promise.all(
      orphans.map(async (id) => {
        await pidOf(client, id, victim?.pid);
        measured.push(performance.now() - killed);
      }),
    );
    await stack.addWorker();
  }
  return measured;
}

/** The process that runs a task, as its agent reports; not `except`, which is dead. */
function pidOf(client: ResilientClient, taskId: string, except?: number): Promise<number> {
  return until(
    async () => {
      const { metadata } = await client.read(taskId);
      const pid = Number(metadata?.pid);
      return pid > 0 && pid !== except && pid;
    },
    { what: `${taskId} runs elsewhere`, timeoutMs: 30_000, everyMs: 25 },
  );
}
