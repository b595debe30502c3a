import { type FileStore, fileIdIn, fileIdsIn } from '@switchyard/files';
import { type FieldViolation, invalidParams, type SendMessageRequest } from '@switchyard/protocol';
import { type PreSubscription, principalKey, type Schedule, type Tasks } from '@switchyard/store';
import type { Call } from '../call/call.ts';

interface KeepDependencies {
  readonly files: FileStore;
  readonly tasks: Pick<Tasks, 'newTaskId'>;
}

/** The task of a message, as far as it is known before the message is accepted. */
interface ComingTask {
  readonly preSubscription?: PreSubscription | undefined;
  readonly schedule?: Schedule | undefined;
}

/** Files that are kept for a message. */
export interface KeptFiles {
  /** Of its task: if the message makes one, that must get this id. */
  readonly taskId: string;
  /** Call it when the message was not accepted, or has another task, because it was sent before. */
  release(): Promise<void>;
}

/** Whether a message may refer to files of this gateway. */
export function hasFiles({ message }: SendMessageRequest): boolean {
  return fileIdsIn(message.parts).length > 0;
}

/**
 * Keeps the files that a message refers to as long as its task exists. It comes before the message is accepted, because
 * a file may be removed at any time until then.
 * @throws {A2AError} InvalidParams: a file of this gateway does not exist, or is not the caller's; the message repeats
 */
export async function keepFiles(
  { files, tasks }: KeepDependencies,
  call: Call,
  sent: SendMessageRequest & ComingTask,
): Promise<KeptFiles | undefined> {
  const { message, preSubscription, schedule } = sent;
  const owner = principalKey(call.scope.principal);
  const { idempotencyKey } = call;
  const name = { message, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const taskId = message.taskId ?? preSubscription?.taskId ?? tasks.newTaskId(call.scope, name);
  const own = `${call.endpoint().base}/files/`;
  const violations: FieldViolation[] = [];
  const kept: string[] = [];
  for (const [i, { url = '' }] of message.parts.entries()) {
    const id = fileIdIn(url);
    if (id === undefined) continue;
    if (await files.keepFor(owner, id, taskId)) kept.push(id);
    // Elsewhere it is the file of another server.
    else if (url.startsWith(own)) violations.push({ field: `message.parts[${i}].url`, description: isMissing });
  }
  const release = async (): Promise<void> => {
    // An earlier message of an existing task may have referred to the file.
    if (message.taskId === undefined) await Promise.all(kept.map((id) => files.release(owner, id, taskId)));
  };
  if (kept.length > 0 && schedule?.cron !== undefined)
    violations.push({ field: 'message.parts', description: repeats });
  if (violations.length > 0) {
    await release();
    throw invalidParams(violations);
  }
  return kept.length > 0 ? { taskId, release } : undefined;
}

const isMissing = 'is no file of yours: it was removed, or it never existed';
/** Each task of a schedule would need the file, and only the first one keeps it. */
const repeats = 'must not have a file of this gateway in a message that is repeated (cron): the agent must fetch it';
