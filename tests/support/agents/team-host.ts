import { appendFileSync } from 'node:fs';
import { defineAgent, isDone } from '@switchyard/agent';

/** Has two members work in parallel, and combines their answers. Notes its process. */
export default defineAgent({
  id: 'team-host',
  card: { name: 'Host', description: 'Delegates work to a team.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const { file } = turn.metadata as { file: string };
    appendFileSync(file, `host ${process.pid}\n`);
    const replies = await Promise.all(
      ['design', 'build'].map((text) => turn.call('team-member', text, { metadata: { ...turn.metadata } })),
    );
    const tasks = await turn.otherTasks();
    const failed = replies.find((reply) => !isDone(reply));
    if (failed) return turn.fail(`${failed.state}: ${failed.text}`);
    return turn.complete(`${replies.map(({ text }) => text).join(' and ')}, ${tasks.length} tasks besides`);
  },
});
