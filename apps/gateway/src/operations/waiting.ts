import type { Diagnosis } from '@switchyard/operators';
import { isTerminal, suspendedUri, type Task, waitingUri } from '@switchyard/protocol';
import type { Json } from '@switchyard/store';
import type { Backend } from './backend.ts';

/** What a task waits for, as its client may know it: nothing of workers, queues and other callers. */
interface Wait {
  readonly reason: string;
  readonly text: string;
  /** Nothing happens until a person acts. */
  readonly isStuck: boolean;
  /** ISO time. */
  readonly since?: string;
}

type Words = readonly [reason: string, text: string];

/** The words for a client. A finding without any is no wait, or the state says it already. */
const words: Readonly<Partial<Record<Diagnosis['finding'], Words>>> = {
  'agent-unknown': ['no-worker', 'No worker runs the agent.'],
  'no-worker': ['no-worker', 'No worker runs the agent.'],
  'agent-paused': ['agent-paused', 'The agent is paused by its operators.'],
  scheduled: ['scheduled', 'The task waits for its time.'],
  // The share depends on the tasks of other tenants, so a client does not learn of it.
  'tenant-over-share': ['queued', 'The task waits for a free worker.'],
  queued: ['queued', 'The task waits for a free worker.'],
  'waits-for-place': ['limit', 'The agent runs as many turns as it may; the task waits for its own.'],
  'job-missing': ['queued', 'The task waits for a free worker.'],
  'not-swept': ['no-worker', 'No worker looks after waiting tasks.'],
  'retry-waits': ['retry', 'The agent failed, and tries again soon.'],
  'worker-frozen': ['worker-silent', 'The worker that runs the task does not answer.'],
  'worker-dead': ['worker-lost', 'The worker that ran the task is gone; another one takes over.'],
  'waits-for-call': ['called-agent', 'The agent waits for another agent.'],
  'remote-unreachable': ['unreachable', 'The agent does not answer; it is tried again every few seconds.'],
  suspended: ['suspended', 'The agent waits for a time, or for an event from outside.'],
  'cancel-waits': ['cancel', 'The agent has been told to stop, and has not stopped yet.'],
};

/**
 * For clients that have activated the extension: an answer with a task that waits says for what, in the task's metadata
 * (docs/extensions/waiting.md).
 */
export async function withWait<Answer extends { readonly json?: Json | undefined }>(
  backend: Backend,
  answer: Answer,
): Promise<Answer> {
  if (answer.json === undefined) return answer;
  const json: { readonly task?: Partial<Task> } & Partial<Task> = JSON.parse(answer.json.toString());
  const task = json.task ?? json;
  const wait = await waitOf(backend, task);
  if (!wait) return answer;
  const explained = { ...task, metadata: { ...task.metadata, [waitingUri]: wait } };
  return { ...answer, json: JSON.stringify(json.task ? { ...json, task: explained } : explained) };
}

async function waitOf({ diagnoses }: Backend, { id, status, metadata }: Partial<Task>): Promise<Wait | undefined> {
  if (!id || !status || isTerminal(status.state)) return undefined;
  // The message is accepted: an answer without the reason is better than none.
  const diagnosis = await diagnoses.diagnosis(id).catch(() => undefined);
  const [reason, text] = (diagnosis && words[diagnosis.finding]) ?? [];
  if (diagnosis === undefined || reason === undefined || text === undefined) return undefined;
  const { isStuck, since } = diagnosis;
  const said = (reason === 'suspended' && suspendedText(metadata)) || text;
  return { reason, text: said, isStuck, ...(since !== undefined && { since }) };
}

/** From what the task says itself: docs/extensions/suspended.md. '' if it has gone on meanwhile. */
function suspendedText(metadata: Task['metadata']): string {
  const waits: unknown = metadata?.[suspendedUri];
  if (!Array.isArray(waits) || waits.length === 0) return '';
  const texts = waits.map(({ event, until }: { readonly event?: string; readonly until?: string }) =>
    [event !== undefined && `for the event "${event}"`, until !== undefined && `until ${until}`]
      .filter(Boolean)
      .join(' '),
  );
  return `The agent waits ${texts.join(', or ')}.`;
}
