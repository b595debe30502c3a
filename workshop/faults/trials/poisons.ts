import { userMessage } from '../../../tests/support/messages.ts';
import { keepWorkers } from '../inject/keep-workers.ts';
import { startScene } from '../workload/scene.ts';
import type { Finding } from './finding.ts';

const HARMLESS = 20;
const WORKERS = 2;

/** Sends messages that kill their worker, among harmless ones. Dead workers are restarted. */
export async function measurePoisons(poisons: number): Promise<Finding[]> {
  await using scene = await startScene({ agent: 'crash-agent', workers: WORKERS });
  const { client } = scene;
  await using _ = keepWorkers(scene.stack);
  const send = async (text: string): Promise<string> => (await client.send(userMessage(text), true)).id;
  // Harmless turns run before, during and after the poison messages.
  const harmless: string[] = [];
  const poison: string[] = [];
  for (let n = 0; n < Math.max(HARMLESS, poisons); n++) {
    if (n < HARMLESS) harmless.push(await send('wait 4000'));
    if (n < poisons) poison.push(await send('die'));
  }
  const countUnlike = async (ids: readonly string[], state: string): Promise<number> => {
    const ends = await Promise.allSettled(ids.map((id) => client.ended(id, 180_000)));
    return ends.filter((end) => end.status === 'rejected' || end.value.status.state !== state).length;
  };
  const unpunished = await countUnlike(poison, 'TASK_STATE_FAILED');
  const died = await countUnlike(harmless, 'TASK_STATE_COMPLETED');
  return [
    { what: `${poisons} poisons at once: harmless turns that died of them`, value: died, isGood: died === 0 },
    { what: `${poisons} poisons at once: not given up`, value: unpunished, isGood: unpunished === 0 },
  ];
}
