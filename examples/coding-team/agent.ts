import { defineAgent, type TaskReply, type Turn } from '@switchyard/agent';
import { delegate } from './team/delegate.ts';
import { conclude, makePlan } from './team/lead.ts';
import type { Member, Plan } from './team/plan.ts';

/** Plans a request, delegates the work to other agents, each with its own task, and combines the results. */
export default defineAgent({
  id: 'coding-team',
  turnTimeoutMs: 3_600_000,
  card: {
    name: 'Coding team',
    description:
      'Builds software: plans it, has product, design, frontend and backend work on it, and delivers one result.',
    version: '1.0.0',
    defaultOutputModes: ['text/markdown', 'text/plain', 'application/octet-stream'],
    skills: [
      {
        id: 'build',
        name: 'Build software',
        description: 'From a sentence to a running thing.',
        tags: ['coding'],
        examples: ['Build a login system'],
      },
    ],
  },
  async execute(turn) {
    await turn.acknowledge('The team is on it.');
    const plan = await turn.step('plan', () => makePlan(turn.text, turn.signal));
    await turn.working(`The plan: ${plan.summary}`);
    const work = (member: Member, after: readonly TaskReply[]): Promise<TaskReply> =>
      workOn(turn, plan, { member, after });
    const product = await work('product', []);
    const design = await work('design', [product]);
    const built = await Promise.all([work('frontend', [product, design]), work('backend', [product, design])]);
    const made = [product, design, ...built];
    const summary = await turn.step('conclusion', () =>
      conclude(
        turn.text,
        made.map(({ agent, text }) => ({ member: agent, text })),
        turn.signal,
      ),
    );
    await deliver(turn, summary, built);
    return turn.complete(summary);
  },
});

async function workOn(
  turn: Turn,
  { analysis, ...plan }: Plan,
  { member, after }: { member: Member; after: readonly TaskReply[] },
): Promise<TaskReply> {
  await turn.working(`${member} begins.`);
  const reply = await delegate(turn, member, { assignment: { analysis, ...plan[member] }, after });
  await turn.working(`${member} is done.`);
  return reply;
}

/** The combined result: a summary, and every file. */
async function deliver(turn: Turn, summary: string, built: readonly TaskReply[]): Promise<void> {
  const files = built.flatMap(({ agent, task }) =>
    (task.artifacts ?? []).flatMap(({ parts }) =>
      parts.map((part) => ({ ...part, filename: `${agent}/${part.filename}` })),
    ),
  );
  await turn
    .artifact({ name: 'Result', description: 'What the team has built' })
    .finish([{ text: summary, mediaType: 'text/markdown' }, ...files]);
}
