import { type GetTaskRequest, isTerminal } from '@switchyard/protocol';
import type { FeedItem, TaskReading } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import { wantsRaw } from '../call/extensions.ts';
import { awaitItem } from './await-item.ts';
import { type Backend, existingTask } from './backend.ts';
import type { UnaryResult } from './operation.ts';

/** What a caller knows of a task, and how long it waits for more. */
export interface Poll extends Pick<Call, 'knownVersion' | 'waitMs'> {
  /** Waits for an event with a higher number. Unset: for any change, if the caller has this version or names none. */
  readonly after?: number | undefined;
}

/** End of an ETag: the same version has other JSON with `raw` instead of URLs. */
const rawSuffix = '-raw';

/** A2A 3.1.3. A caller that has this version, or asks for the next one, can wait for a change instead of polling. */
export function getTask(backend: Backend, call: Call, request: GetTaskRequest): Promise<UnaryResult> {
  return pollTask(backend, call, request, call);
}

export async function pollTask(
  backend: Backend,
  call: Call,
  { id: taskId, historyLength }: GetTaskRequest,
  poll: Poll,
): Promise<UnaryResult> {
  const suffix = backend.files && wantsRaw(call) ? rawSuffix : '';
  const knownVersion = versionKnown(poll.knownVersion, suffix);
  const view = { historyLength, version: knownVersion };
  const result = ({ task, version, seq }: TaskReading): UnaryResult => ({ json: task, version: version + suffix, seq });
  const reading = await existingTask(backend, call, taskId, view);
  if (!shouldWait({ waitMs: poll.waitMs, after: poll.after, knownVersion }, reading)) return result(reading);
  const { seq, incarnation } = reading;
  const waitMs = Math.min(poll.waitMs, backend.settings.maxPollWaitMs);
  // Not held while waiting, because the task may be large: it is read again afterwards.
  const changed = awaitItem(backend, call, {
    as: 'poll',
    taskId,
    after: { seq, incarnation },
    waitMs,
    until: changeFor(poll),
  });
  return changed.then(async () => result(await existingTask(backend, call, taskId, view)));
}

/** Does not wait if the task has already changed or ended. */
function shouldWait({ waitMs, knownVersion, after }: Poll, { state, version, seq }: TaskReading): boolean {
  if (waitMs <= 0 || isTerminal(state)) return false;
  return after === undefined ? knownVersion === undefined || knownVersion === version : seq <= after;
}

function changeFor({ after }: Poll): (item: FeedItem) => boolean {
  return after === undefined ? () => true : ({ seq }) => seq > after;
}

/** The version of a known ETag without its suffix; '' for an ETag of other JSON, which never matches. */
export function versionKnown(etag: string | undefined, suffix: string): string | undefined {
  if (etag === undefined) return undefined;
  return etag.endsWith(suffix) ? etag.slice(0, etag.length - suffix.length) : '';
}
