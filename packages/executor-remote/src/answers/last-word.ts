import { isObject, type JsonObject } from './mend.ts';

/** How long the stream may be silent before what it said last counts as its last word. */
export const lastWordMs = 5_000;

/** A result of a stream, as the agent sent it. */
export type Result = JsonObject;

/**
 * Holds back what seems to be the end of a stream, but may be followed by more: a message, as some agents send their
 * answer in several; and in A2A 0.3 a final state with `final: false`, which artifacts may follow. Messages become one
 * message. What is held back comes when the stream ends, breaks, or has been silent for a while.
 */
export class LastWord {
  #messages: JsonObject[] = [];
  #ending: Result | undefined;

  /** Whether something is held back. */
  get isHeld(): boolean {
    return this.#messages.length > 0 || this.#ending !== undefined;
  }

  /** @returns what can be said now */
  add(result: Result): Result[] {
    if (messageIn(result)) {
      this.#messages.push(result);
      return [];
    }
    // A task begins, or goes on: the messages before belong to it.
    const before = this.#messages.map(asStatus(result));
    this.#messages = [];
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
    this.#ending = undefined;
    return held;
  }
}

function joined(messages: readonly Result[]): Result[] {
  const [first] = messages;
  if (!first || messages.length === 1) return [...messages];
  const message = messages.map(messageIn).filter(isObject).reduce(continued);
  if (first.kind === 'message') return [message];
  return ['message' in first ? { message } : { msg: message }];
}

/** Texts of messages with one id are pieces of one text. */
function continued(message: JsonObject, next: JsonObject): JsonObject {
  const [before, parts] = [partsOf(message), partsOf(next)];
  const [last, first] = [before.at(-1), parts[0]];
  const isPiece = message.messageId === next.messageId && isBareText(last) && isBareText(first);
  const list = 'content' in message ? 'content' : 'parts';
  if (!isPiece) return { ...message, [list]: [...before, ...parts] };
  const piece = { ...last, text: last.text + first.text };
  return { ...message, [list]: [...before.slice(0, -1), piece, ...parts.slice(1)] };
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
