import { randomBytes } from 'node:crypto';
import { type FileStore, fileIdIn, fileIdsIn, hasLargeRaw, type Keeper, keepFilesOf, moveRaw } from '@switchyard/files';
import {
  type FieldViolation,
  invalidParams,
  type Message,
  type SendMessageRequest,
  withContents,
} from '@switchyard/protocol';
import { type KeepFiles, type PreSubscription, principalKey, type Tasks } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { Emit } from '../telemetry/events.ts';

interface KeepDependencies {
  readonly files: FileStore;
  readonly tasks: Pick<Tasks, 'newTaskId'>;
  readonly emit: Emit;
  /** What parts have as `raw` with more bytes is moved. Unset: nothing is. */
  readonly inlineBytes: number | undefined;
}

/** The task of a message, as far as it is known before the message is accepted. */
interface ComingTask {
  readonly preSubscription?: PreSubscription | undefined;
}

/** Files that are kept for a message. */
export interface KeptFiles {
  /** Of its task: if the message makes one, that must get this id. */
  readonly taskId: string;
  /** The message with URLs instead of its large `raw` parts; unset: it had none. */
  readonly moved?: { readonly message: Message; readonly sentMessage: Message };
  /** Call it when the message was not accepted, or was sent before and the files have a mark of that. */
  release(): Promise<void>;
}

/**
 * Refuses URLs that no agent can read: those that are none, and those of files that this gateway cannot have. Whether a
 * file exists, `keepFiles` says.
 * @param hasStore this gateway stores files
 * @throws {A2AError} InvalidParams
 */
export function requireFileUrls(call: Call, { message }: SendMessageRequest, hasStore: boolean): void {
  const violations = message.parts.flatMap(({ url }, i): FieldViolation[] => {
    const description = url === undefined ? undefined : problemOf(url, call, hasStore);
    return description === undefined ? [] : [{ field: `message.parts[${i}].url`, description }];
  });
  if (violations.length > 0) throw invalidParams(violations);
}

function problemOf(url: string, call: Call, hasStore: boolean): string | undefined {
  if (!URL.canParse(url)) return 'must be an absolute URL, such as https://files.example.com/menu.pdf';
  if (!isOwn(url, call)) return undefined;
  if (!hasStore) return 'is no file: this gateway stores none (FILES_URL)';
  return fileIdIn(url) === undefined ? isMalformed : undefined;
}

function isOwn(url: string, call: Call): boolean {
  const own = new URL(`${call.endpoint().base}/files/`);
  const { origin, pathname } = new URL(url);
  return origin === own.origin && pathname.startsWith(own.pathname);
}

const isMalformed = 'is no file of this gateway: its last part is not the id of a file, or not the whole id';

/** Whether a message may refer to files of this gateway, or has a `raw` part that becomes one. */
export function hasFiles({ message }: SendMessageRequest, inlineBytes: number | undefined): boolean {
  const { parts } = message;
  return fileIdsIn(parts).length > 0 || (inlineBytes !== undefined && hasLargeRaw(parts, inlineBytes));
}

/**
 * Keeps the files that a message refers to as long as its task exists, and stores its large `raw` parts as such. It comes
 * before the message is accepted, because a file may be removed at any time until then.
 * @throws {A2AError} InvalidParams: a file of this gateway does not exist, or is not the caller's
 */
export async function keepFiles(
  { files, tasks, emit, inlineBytes }: KeepDependencies,
  call: Call,
  sent: SendMessageRequest & ComingTask,
): Promise<KeptFiles | undefined> {
  const { message, preSubscription } = sent;
  const owner = principalKey(call.scope.principal);
  const { idempotencyKey } = call;
  const name = { message, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const taskId = message.taskId ?? preSubscription?.taskId ?? tasks.newTaskId(call.scope, name);
  const keeper = keeperOf(message, taskId);
  const violations: FieldViolation[] = [];
  const kept: string[] = [];
  for (const [i, { url = '' }] of message.parts.entries()) {
    const id = fileIdIn(url);
    if (id === undefined) continue;
    if (await files.keepFor(owner, id, keeper)) kept.push(id);
    // Elsewhere it is the file of another server.
    else if (isOwn(url, call)) violations.push({ field: `message.parts[${i}].url`, description: isMissing });
  }
  const release = async (): Promise<void> => {
    await Promise.all(kept.map((id) => files.release(owner, id, keeper)));
  };
  if (violations.length > 0) {
    await release();
    throw invalidParams(violations);
  }
  const { ids, refused } =
    inlineBytes === undefined ? nothing : await moveRaw(files, message.parts, { owner, keeper, inlineBytes });
  if (refused) emit({ kind: 'raw-not-moved', agent: call.scope.agent, err: refused });
  kept.push(...ids.values());
  const moved = ids.size > 0 && { message: withUrls(call, message, ids), sentMessage: message };
  return kept.length > 0 ? { taskId, ...(moved && { moved }), release } : undefined;
}

/** If a message of an existing task is refused, the marks of earlier ones, which have the same files, stay. */
function keeperOf(message: Message, taskId: string): Keeper {
  return message.taskId === undefined ? { taskId } : { taskId, request: randomBytes(8).toString('hex') };
}

const nothing: Awaited<ReturnType<typeof moveRaw>> = { ids: new Map() };

function withUrls(call: Call, message: Message, ids: ReadonlyMap<number, string>): Message {
  const { base } = call.endpoint();
  return { ...message, parts: withContents(message.parts, ids, (id) => ({ url: `${base}/files/${id}` })) };
}

const isMissing = 'is no file of yours: it was removed, or it never existed';

/** Keeps what the parts of an operator's message refer to; a file that does not exist is the agent's to find out. */
export function keepPartsIn(files: Pick<FileStore, 'keepFor'> | undefined): KeepFiles {
  return (principal, parts, taskId) => keepFilesOf(files, { owner: principalKey(principal), parts, taskId });
}
