import { AgentError, type CallReply, isDone, type TaskReply, type Turn } from '@switchyard/agent';
import type { Assignment, Member } from './plan.ts';

/** The member that answers another member's questions. */
const knows: Readonly<Record<Member, Member>> = {
  product: 'design',
  design: 'product',
  frontend: 'backend',
  backend: 'frontend',
};

/** Number of questions after which a member must decide itself. */
const mostQuestions = 3;

/**
 * Delegates a part to a member, in its own task of this context. If the member asks a question, another member answers
 * it.
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

/** A short question, answered with a plain message. */
async function ask(turn: Turn, member: Member, question: string): Promise<string> {
  const reply: CallReply = await turn.call(member, { parts: [{ text: question }], metadata: { kind: 'question' } });
  return isDone(reply) ? reply.text : 'Nobody knows. Decide as you think best.';
}
