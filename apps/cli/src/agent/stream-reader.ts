import { eventIdIn } from '@switchyard/protocol';
import { CommandFailure, rateLimited } from '../failures/failure.ts';
import { isInterrupted, isSettled, type StreamResponse, stateOf } from './objects.ts';
import type { WaitNotices } from './wait-notices.ts';

interface StreamContext {
  readonly signal: AbortSignal;
  readonly note: (line: string) => void;
  readonly onTask?: (task: { readonly id: string; readonly contextId: string | undefined }) => void;
}

interface StreamStart {
  /** An answer to an open task: its first snapshot may still be the old state. */
  readonly isReply?: boolean;
  /** The message can be sent again if the stream breaks before its task is known. */
  readonly canRepeat?: boolean;
  readonly notices: WaitNotices;
  readonly id?: string | undefined;
  /** The stream is resumed after it. */
  readonly lastEventId?: string | undefined;
}

/** One stream, and what it received. */
export class StreamReader {
  readonly #waiting: StreamContext;
  readonly #notices: WaitNotices;
  readonly #canRepeat: boolean;
  /** Its first snapshot does not count as the end. */
  #isReply: boolean;
  readonly #isResumed: boolean;
  id: string | undefined;
  /** Undefined: the stream cannot be resumed. */
  lastEventId: string | undefined;
  isOver = false;
  /** It resumed another stream: receiving the whole task again is not progress. */
  hasResumed = false;

  constructor(waiting: StreamContext, { isReply = false, canRepeat = false, id, lastEventId, notices }: StreamStart) {
    this.#waiting = waiting;
    this.#canRepeat = canRepeat;
    this.#notices = notices;
    this.#isReply = isReply;
    this.#isResumed = lastEventId !== undefined;
    this.id = id;
    this.lastEventId = lastEventId;
  }

  /** Ends at the last event of the task, or when a stream of a known task breaks. @throws {CommandFailure} */
  async *follow(events: AsyncIterable<StreamResponse>): AsyncGenerator<StreamResponse> {
    try {
      for await (const event of events) {
        this.#learn(event);
        yield event;
        if (this.isOver) return;
      }
    } catch (error) {
      const { signal, note } = this.#waiting;
      if (signal.aborted || !(error instanceof CommandFailure) || !this.#canGoOnAfter(error)) throw error;
      // The task can be read, and has the reason; an event that was too large would be as large again.
      if (!isLost(error) || isTooLarge(error)) this.lastEventId = undefined;
      note(`The stream broke off: ${error.message}`);
    }
  }

  #canGoOnAfter(error: CommandFailure): boolean {
    if (this.id === undefined) return this.#canRepeat && isLost(error) && error.code !== rateLimited;
    return this.#isResumed || isLost(error);
  }

  #learn({ message, task, statusUpdate, artifactUpdate }: StreamResponse): void {
    const id = task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
    const { contextId, metadata } = task ?? statusUpdate ?? artifactUpdate ?? {};
    if (id !== undefined) this.#waiting.onTask?.({ id, contextId });
    this.id = id ?? this.id;
    this.#notices.heard(this.id);
    this.lastEventId = eventIdIn(metadata);
    this.hasResumed = this.#isResumed;
    const state = task ?? statusUpdate;
    const isOld = this.#isReply && state !== undefined && isInterrupted(stateOf(state));
    this.isOver = message !== undefined || (state !== undefined && isSettled(stateOf(state)) && !isOld);
    this.#isReply = false;
  }
}

const passing: readonly string[] = ['A2ACLI_ERR_UNREACHABLE', 'A2ACLI_ERR_INTERNAL', rateLimited];

/** A lost connection may come back, and a limit has room again; an error of the agent is final. */
export function isLost(error: unknown): error is CommandFailure {
  return error instanceof CommandFailure && passing.includes(error.code);
}

/** The SDK takes 4 MiB an event. */
function isTooLarge({ message }: CommandFailure): boolean {
  return message.includes('maximum allowed size');
}
