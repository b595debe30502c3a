/** Longest name of a task that a request may have here: ours have 36 characters. */
const LONGEST = 128;

/** The task that a request is about, as far as it names one, for the audit trail. */
export function taskNamedIn(request: object): string | undefined {
  if ('message' in request) return taskNamedIn(Object(request.message));
  if ('taskId' in request) return nameIn(request.taskId);
  return 'id' in request ? nameIn(request.id) : undefined;
}

const nameIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, LONGEST) : undefined;
