import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Works for the requested time, and notes its begin and end. */
export default defineAgent({
  id: 'team-member',
  card: { name: 'Member', description: 'Works for the host of a team.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const { file, workMs } = turn.metadata as { file: string; workMs: number };
    appendFileSync(file, `begun ${turn.text}\n`);
    await delay(workMs, undefined, { signal: turn.signal });
    appendFileSync(file, `done ${turn.text}\n`);
    return turn.complete(`${turn.text} done`);
  },
});
