/** Job ids may neither contain a colon nor be a number. */
export function jobId(taskId: string, job: number): string {
  return `${taskId}.${job}`;
}

export function parseJobId(id: string): { taskId: string; job: number } {
  const [taskId, job] = splitAtDot(id);
  return { taskId, job };
}

/** The deliveries to one webhook of a task, and the number of this queue within its task, which is never used again. */
export interface DeliveryQueueId {
  readonly taskId: string;
  readonly number: number;
}

/** As it stands in `push`, and before the number of its job in job ids: `<task>.<number>`. */
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
