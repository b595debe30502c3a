import { adviceFor, mayRerun } from './advice.ts';
import type { Diagnosis } from './finding.ts';
import type { TaskFacts } from './task-facts.ts';
import type { Failure } from './task-failures.ts';

/** Parts of an attempt whose failures are shown besides its own. */
const MAX_PARTS = 3;

/** The diagnosis of a task that has ended: well, or why not; undefined: it goes on. */
export function ended({ record, failure, failedParts, failingWebhooks }: TaskFacts): Diagnosis | undefined {
  if (!record.isTerminal) return undefined;
  const webhooks = webhookText(failingWebhooks);
  if (failure) {
    const before = failedParts.filter(({ message }) => message !== failure.message).slice(-MAX_PARTS);
    const advice = adviceFor(failure);
    return {
      finding: 'failed',
      isStuck: false,
      text: [failureText(failure), webhooks && `Also, ${webhooks}.`].filter(Boolean).join(' '),
      ...(advice !== undefined && { advice }),
      since: failure.at,
      see: [
        ...placesOf(failure, before),
        ...(failure.kind === 'budget-spent' ? [{ kind: 'tenant', id: record.tenant } as const] : []),
      ],
      actions: mayRerun(failure) ? ['retry'] : [],
      failure,
      ...(before.length > 0 && { before }),
    };
  }
  if (webhooks === '')
    return { finding: 'ended', isStuck: false, text: 'The task has ended.', see: [], actions: ['retry'] };
  const text = `The task has ended, but ${webhooks}.`;
  const isGivenUp = failingWebhooks.some(({ state }) => state === 'dead');
  return { finding: 'webhook-fails', isStuck: false, text, see: [], actions: [isGivenUp ? 'retry' : 'wait'] };
}

/** The called tasks that have their own reasons, and the worker. */
function placesOf(failure: Failure, before: readonly Failure[]): Diagnosis['see'] {
  const called = [failure, ...before].flatMap(({ calledTask }) => (calledTask === undefined ? [] : [calledTask]));
  const tasks = [...new Set(called)].map((id) => ({ kind: 'task', id }) as const);
  return failure.worker === undefined ? tasks : [...tasks, { kind: 'worker', id: failure.worker }];
}

const whatHappened: Readonly<Partial<Record<Failure['kind'], string>>> = {
  'ended-by-agent': 'The agent ended the task',
  'input-refused': 'The message was rejected',
  'not-begun': 'The message was rejected',
};

/** A failure in one sentence: what happened, where, in which attempt. */
function failureText({ kind, message, place, attempt }: Failure): string {
  const what = whatHappened[kind] ?? `The task failed (${kind})`;
  const line = place && `${place.file}:${place.line}`;
  const where = line === undefined || message.includes(line) ? '' : ` At ${line}.`;
  const which = attempt !== undefined && attempt > 1 ? ` It was attempt ${attempt}.` : '';
  return `${what}: ${sentence(message)}${where}${which}`;
}

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** `a webhook has not received all events: the receiver answered 503 (3 tries, the next at …)`, or ''. */
export function webhookText(failing: TaskFacts['failingWebhooks']): string {
  const [first] = failing;
  if (!first) return '';
  const who = failing.length === 1 ? 'a webhook has' : `${failing.length} webhooks have`;
  const reason = first.lastFailure?.reason ?? first.reason;
  const next = first.state === 'dead' ? 'given up' : first.nextAt && `the next at ${first.nextAt}`;
  const tries = `${first.attempts} ${first.attempts === 1 ? 'try' : 'tries'}`;
  const why = [reason ?? 'the delivery failed', ` (${[tries, next].filter(Boolean).join(', ')})`].join('');
  return `${who} not received all of its events: ${why}`;
}
