import { userMessage } from '../../../tests/support/messages.ts';
import { keepWorkers } from '../inject/keep-workers.ts';
import { startScene } from '../workload/scene.ts';
import type { Finding } from './finding.ts';

const INNOCENTS = 20;
const WORKERS = 2;

/**
 * So many messages at once that kill their worker, among harmless ones. Workers are started again whenever one dies.
 */
export async function measurePoisons(poisons: number): Promise<Finding[]> {
  await using scene = await startScene({ agent: 'crash-agent', workers: WORKERS });
  const { client } = scene;
  await using _ = keepWorkers(scene.stack);
  const send = async (text: string): Promise<string> => (await client.send(userMessage(text), true)).id;
  // Harmless turns run before, while and after the poisons do their work.
  const innocent: string[] = [];
  const poison: string[] = [];
  for (let n = 0; n < Math.max(INNOCENTS, poisons); n++) {
    if (n < INNOCENTS) innocent.push(await send('wait 4000'));
    if (n < poisons) poison.push(await send('die'));
  }
  const countUnlike = async (ids: readonly string[], state: string): Promise<number> => {
    const ends = await Promise.allSettled(ids.map((id) => client.ended(id, 180_000)));
    return ends.filter((end) => end.status === 'rejected' || end.value.status.state !== state).length;
  };
  const unpunished = await countUnlike(poison, 'TASK_STATE_FAILED');
  const died = await countUnlike(innocent, 'TASK_STATE_COMPLETED');
  return [
    { what: `${poisons} poisons at once: innocent turns that died of them`, value: died, isGood: died === 0 },
    { what: `${poisons} poisons at once: not given up`, value: unpunished, isGood: unpunished === 0 },
  ];
}
