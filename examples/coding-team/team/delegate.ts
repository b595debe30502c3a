import { AgentError, type CallReply, isDone, type TaskReply, type Turn } from '@switchyard/agent';
import type { Assignment, Member } from './plan.ts';

/** The member that answers a member's questions. */
const knows: Readonly<Record<Member, Member>> = {
  product: 'design',
  design: 'product',
  frontend: 'backend',
  backend: 'frontend',
};

/** So often a member may ask before it has to decide for itself. */
const mostQuestions = 3;

/**
 * Has a member do its part, in a task of its own in this context. When it asks something, another member is asked, and
 * its answer passed on.
 * @param after tasks whose results the member needs
 */
export async function delegate(
  turn: Turn,
  member: Member,
  { assignment, after }: { assignment: Assignment; after: readonly TaskReply[] },
): Promise<TaskReply> {
  const content = [{ text: assignment.instructions }, { data: assignment }];
  let reply = await turn.call(member, content, { referenceTaskIds: after.map(({ taskId }) => taskId) });
  for (let asked = 0; reply.state === 'TASK_STATE_INPUT_REQUIRED' && asked < mostQuestions; asked++) {
    await turn.working(`${member} asks: ${reply.text}`);
    const answer = await ask(turn, knows[member], reply.text);
    reply = await turn.call(member, answer, { taskId: reply.taskId });
  }
  if (isDone(reply) && reply.kind === 'task') return reply;
  throw new AgentError(`The work of ${member} did not succeed: ${reply.text}`);
}

/** A question that is answered in seconds: a message, and no task. */
async function ask(turn: Turn, member: Member, question: string): Promise<string> {
  const reply: CallReply = await turn.call(member, { parts: [{ text: question }], metadata: { kind: 'question' } });
  return isDone(reply) ? reply.text : 'Nobody knows. Decide as you think best.';
}
