import { isObject, type JsonObject } from './mend.ts';
import { RemoteError } from './remote-error.ts';

/** How long the stream may be silent before what it said last counts as its last word. */
export const lastWordMs = 5_000;

/** Most characters of the messages that are held back: an agent may send them without end. */
const maxHeldCharacters = 16 * 1024 * 1024;

/** A result of a stream, as the agent sent it. */
export type Result = JsonObject;

/**
 * Holds back what seems to be the end of a stream, but may be followed by more: a message, as some agents send their
 * answer in several; and in A2A 0.3 a final state with `final: false`, which artifacts may follow. Messages become one
 * message. What is held back comes when the stream ends, breaks, or has been silent for a while.
 */
export class LastWord {
  #messages: JsonObject[] = [];
  #heldCharacters = 0;
  #ending: Result | undefined;

  /** Whether something is held back. */
  get isHeld(): boolean {
    return this.#messages.length > 0 || this.#ending !== undefined;
  }

  /**
   * @param characters of the result as JSON
   * @returns what can be said now @throws {RemoteError} too much is held back: all of it is forgotten
   */
  add(result: Result, characters: number): Result[] {
    if (messageIn(result)) {
      this.#messages.push(result);
      this.#heldCharacters += characters;
      if (this.#heldCharacters <= maxHeldCharacters) return [];
      this.end();
      throw new RemoteError('refused', `its stream has more than ${maxHeldCharacters} characters of messages`);
    }
    // A task begins, or goes on: the messages before belong to it.
    const before = this.#messages.map(asStatus(result));
    this.#messages = [];
    this.#heldCharacters = 0;
    if (isProvisionalEnd(result)) {
      this.#ending = result;
      return before;
    }
    if (!this.#ending || !isEnd(result)) return [...before, result];
    const end = hasMessage(result) || !hasMessage(this.#ending) ? result : { ...this.#ending, final: true };
    this.#ending = undefined;
    return [...before, end];
  }

  /** @returns what was held back */
  end(): Result[] {
    const held = [...joined(this.#messages), ...(this.#ending ? [this.#ending] : [])];
    this.#messages = [];
    this.#heldCharacters = 0;
    this.#ending = undefined;
    return held;
  }
}

function joined(messages: readonly Result[]): Result[] {
  const [first] = messages;
  if (!first || messages.length === 1) return [...messages];
  const [message = {}, ...others] = messages.map(messageIn).filter(isObject);
  const whole = { ...message, ['content' in message ? 'content' : 'parts']: joinedParts(message, others) };
  if (first.kind === 'message') return [whole];
  return ['message' in first ? { message: whole } : { msg: whole }];
}

/** Texts of messages with one id are pieces of one text. */
function joinedParts(message: JsonObject, others: readonly JsonObject[]): unknown[] {
  const joined = [...partsOf(message)];
  for (const { messageId, ...next } of others)
    for (const [i, part] of partsOf(next).entries()) {
      const last = joined.at(-1);
      const isPiece = i === 0 && messageId === message.messageId && isBareText(last) && isBareText(part);
      if (isPiece) joined[joined.length - 1] = { ...last, text: last.text + part.text };
      else joined.push(part);
    }
  return joined;
}

function partsOf({ parts, content }: JsonObject): unknown[] {
  const list = parts ?? content;
  return Array.isArray(list) ? list : [];
}

function isBareText(part: unknown): part is JsonObject & { readonly text: string } {
  return isObject(part) && typeof part.text === 'string' && part.metadata === undefined && part.mediaType === undefined;
}

/** The plain message of a result: of 1.0, of 0.3 over JSON-RPC, and of 0.3 over HTTP+JSON. */
function messageIn(result: Result): JsonObject | undefined {
  if (result.kind === 'message') return result;
  const message = result.message ?? result.msg;
  return isObject(message) && result.kind === undefined ? message : undefined;
}

/** A message before a task becomes a message of the task's status. */
function asStatus(next: Result): (message: Result) => Result {
  const { taskId, contextId } = idsIn(next);
  return (result) => {
    const message = messageIn(result);
    if (result.kind === 'message')
      return { kind: 'status-update', taskId, contextId, final: false, status: { state: 'working', message } };
    const status =
      'msg' in result ? { state: 'TASK_STATE_WORKING', update: message } : { state: 'TASK_STATE_WORKING', message };
    return { statusUpdate: { taskId, contextId, status } };
  };
}

function idsIn(result: Result): { readonly taskId: unknown; readonly contextId: unknown } {
  const of = [result.task, result.statusUpdate, result.artifactUpdate, result].find(isObject) ?? {};
  return { taskId: of.taskId ?? of.id, contextId: of.contextId };
}

const endStates: ReadonlySet<unknown> = new Set(
  ['completed', 'failed', 'canceled', 'rejected'].flatMap((name) => [name, `TASK_STATE_${name.toUpperCase()}`]),
);

function updateIn(result: Result): JsonObject | undefined {
  if (result.kind === 'status-update') return result;
  return isObject(result.statusUpdate) ? result.statusUpdate : undefined;
}

function statusOf(result: Result): JsonObject {
  const status = updateIn(result)?.status;
  return isObject(status) ? status : {};
}

function isEnd(result: Result): boolean {
  const { state } = statusOf(result);
  return endStates.has(state) || state === 'TASK_STATE_CANCELLED';
}

function isProvisionalEnd(result: Result): boolean {
  return isEnd(result) && updateIn(result)?.final === false;
}

function hasMessage(result: Result): boolean {
  const { message, update } = statusOf(result);
  return isObject(message) || isObject(update);
}
