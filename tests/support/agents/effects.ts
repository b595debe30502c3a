import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Notes its effects in a file: `begun <pid>`, and, once there is a file `<file>.go`, `effect <pid>`. */
export default defineAgent({
  id: 'effects',
  card: { name: 'Effects', description: 'Has side effects.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const file = turn.text;
    appendFileSync(file, `begun ${process.pid}\n`);
    while (!existsSync(`${file}.go`)) await delay(20);
    await turn.confirm();
    appendFileSync(file, `effect ${process.pid}\n`);
    return turn.complete('done');
  },
});
