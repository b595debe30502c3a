import type { ShardKeys } from '../deployment/keys.ts';

/** The prefix of the keys of a queue on one shard. @param queue as `queueName` */
export function queueRoot(queue: string, keys: ShardKeys): string {
  return `${keys.queues}:${queue}:`;
}

/** The key that wakes a process: of a queue, or of other work. */
export function markerOf(root: string): string {
  return `${root}marker`;
}

/** The queue of all remote agents, which are called by the URL of their card. No local agent can have this id. */
export const REMOTE_AGENTS = '@remote';

/** The agent id in the tasks of a remote agent. */
export function remoteAgentId(cardUrl: string): string {
  return `@${cardUrl}`;
}

/** The card URL in a remote agent's id; undefined for a local agent. */
export function cardUrlOf(agent: string): string | undefined {
  return /^@https?:/.test(agent) ? agent.slice(1) : undefined;
}

/**
 * The name of an agent's own queue, or of the queue of one of its skills. Remote agents are many, and share one queue.
 * @param skill id of a skill that has a queue; unset or empty: the agent's own queue
 */
export function queueName(agent: string, skill?: string | null): string {
  if (cardUrlOf(agent) !== undefined) return REMOTE_AGENTS;
  return skill ? `${agent}~${skill}` : agent;
}

/** Job ids may neither contain a colon nor be a number. */
export function jobId(taskId: string, job: number): string {
  return `${taskId}.${job}`;
}

export function parseJobId(id: string): { taskId: string; job: number } {
  const [taskId, job] = splitAtDot(id);
  return { taskId, job };
}

/** Names the delivery queue of one webhook: its task, and its number within the task, which is never used again. */
export interface DeliveryQueueId {
  readonly taskId: string;
  readonly number: number;
}

/** The id as `<task>.<number>`: in `push`, and in job ids, where the number of the job follows. */
export function deliveryQueueText({ taskId, number }: DeliveryQueueId): string {
  return `${taskId}.${number}`;
}

export function parseDeliveryQueue(text: string): DeliveryQueueId {
  const [taskId, number] = splitAtDot(text);
  return { taskId, number };
}

function splitAtDot(text: string): [before: string, after: number] {
  const dot = text.lastIndexOf('.');
  return [text.slice(0, dot), Number(text.slice(dot + 1))];
}
