import { type AgentExecutionEvent, DefaultExecutionEventBus } from '@a2a-js/sdk/server';
import type { Outcome, Turn } from '@switchyard/agent';
import { AgentError, TurnMisuseError } from '@switchyard/agent';
import { isTerminal, type StreamResponse, type TaskStatus } from '@switchyard/protocol';
import { ForeignIds } from './mirror/artifact-ids.ts';
import { Mirror } from './mirror/mirror.ts';
import { readSdkEvent } from './mirror/read-sdk.ts';

/**
 * The event bus of one `execute`: publishes its events in the turn, in order. As in the SDK's own server, events after
 * a terminal status, a question or a plain message are dropped, and the status of a `task` event counts only as the
 * last event.
 */
export class TurnBus extends DefaultExecutionEventBus {
  readonly #mirror: Mirror;
  #tail: Promise<void> = Promise.resolve();
  #last: TaskStatus | undefined;
  #isMuted = false;
  readonly #finished = Promise.withResolvers<void>();

  constructor(turn: Turn) {
    super();
    this.#mirror = new Mirror(turn, new ForeignIds(turn));
  }

  /** Executors reuse the objects that they publish, so the event is read at once. */
  override publish(event: AgentExecutionEvent): void {
    super.publish(event);
    if (this.#isMuted) return;
    const read = readSdkEvent({ payload: payloadOf(event) });
    this.#tail = this.#tail.then(() => this.#mirrorEvent(read));
    // `conclude` rejects with the error; this only prevents an unhandled rejection.
    this.#tail.catch(() => undefined);
  }

  /** Resolves when the executor, or its caller, says that no more events come. */
  get untilFinished(): Promise<void> {
    return this.#finished.promise;
  }

  /** As in the SDK's own server, later events are dropped. */
  override finished(): void {
    super.finished();
    this.mute();
    this.#finished.resolve();
  }

  /** Drops all later events. */
  mute(): void {
    this.#isMuted = true;
  }

  /**
   * The outcome, once all events are durable.
   * @throws {AgentError} the executor left its task in a state that is not an outcome
   */
  async conclude(): Promise<Outcome> {
    await this.#tail;
    if (this.#mirror.outcome) return this.#mirror.outcome;
    const { state } = this.#last ?? { state: 'TASK_STATE_SUBMITTED' };
    if (this.#last && (isTerminal(state) || state === 'TASK_STATE_INPUT_REQUIRED'))
      await this.#mirror.status(this.#last);
    else if (state !== 'TASK_STATE_AUTH_REQUIRED') throw unfinished(state);
    return { state };
  }

  async #mirrorEvent(event: StreamResponse): Promise<void> {
    if (this.#mirror.outcome) return;
    if (event.message) return this.#mirror.reply(event.message);
    if (event.artifactUpdate) return this.#mirror.artifact(event.artifactUpdate);
    const { status, metadata } = event.statusUpdate ?? event.task;
    this.#last = status;
    if (event.task) await this.#mirror.content(event.task);
    else await this.#mirror.status(status, metadata);
  }
}

function payloadOf(event: AgentExecutionEvent): Parameters<typeof readSdkEvent>[0]['payload'] {
  switch (event.kind) {
    case 'task':
      return { $case: 'task', value: event.data };
    case 'message':
      return { $case: 'message', value: event.data };
    case 'statusUpdate':
      return { $case: 'statusUpdate', value: event.data };
    case 'artifactUpdate':
      return { $case: 'artifactUpdate', value: event.data };
  }
}

function unfinished(state: string): AgentError {
  const hint =
    `The executor returned and left its task in ${state}: ` +
    'publish a terminal status, or one that asks for input or authorization.';
  return new AgentError('The agent ended its turn without an outcome.', { cause: new TurnMisuseError(hint) });
}
