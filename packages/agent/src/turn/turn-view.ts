import {
  type CallingAgent,
  type Message,
  type Metadata,
  mediaRangesMeet,
  type Principal,
  type Task,
  type TurnInput,
} from '@switchyard/protocol';
import { type WaitingCall, waitingCall } from '../calls/waiting-call.ts';
import { textOf } from '../messages/content.ts';

/** The input of a turn, as an agent's author reads it. */
export class TurnView<Input = unknown> {
  readonly #input: TurnInput;
  /**
   * The input of the task, in each of its turns: the one data part of its first message, as parsed by the agent's
   * schema `input`. Without a schema it is the data as the client sent it; undefined if there is none, or more than
   * one.
   */
  readonly input: Input;

  constructor(start: TurnInput, input: Input) {
    this.#input = start;
    this.input = input;
  }

  /** The task as it was before this turn (A2A 4.1.1). */
  get task(): Task {
    return this.#input.task;
  }

  /** The message that this turn answers. */
  get message(): Message {
    return this.#input.message;
  }

  /** The text parts of the message, each on a line of its own; empty when it has none. */
  get text(): string {
    return textOf(this.message);
  }

  /**
   * The messages of both sides, in order. The message of this turn is among them, usually as the last one; a message
   * that arrived during an earlier turn is before that turn's answer.
   */
  get history(): readonly Message[] {
    return this.task.history ?? [];
  }

  /** The id of the agent whose turn it is. */
  get agentId(): string {
    return this.#input.agent;
  }

  /** The principal on whose behalf the turn runs. */
  get principal(): Principal {
    return this.#input.principal;
  }

  /** 1 for the first attempt at this message, 2 after a `RetryableError` or after its worker died, … */
  get attempt(): number {
    return this.#input.attempt;
  }

  /** True when a `RetryableError` would fail the task. */
  get isLastAttempt(): boolean {
    return this.#input.isLastAttempt;
  }

  /** Media types that the client accepts, for example `application/json` (A2A 3.2.2); empty: any. */
  get acceptedOutputModes(): readonly string[] {
    return this.#input.acceptedOutputModes;
  }

  /**
   * Whether the client accepts a media type, also by a range such as `text/*`.
   *
   *     if (turn.accepts('application/json')) return turn.complete({ data: { price: 9 } });
   */
  accepts(mediaType: string): boolean {
    return accepts(this.acceptedOutputModes, mediaType);
  }

  /** URIs of the extensions that the client requested (A2A 3.2.6). */
  get extensions(): readonly string[] {
    return this.#input.extensions;
  }

  /** The metadata of the client's request (A2A 3.2.5). */
  get metadata(): Metadata {
    return this.#input.metadata;
  }

  /**
   * Id of the skill that the client names for this message, by the A2A extension docs/extensions/skill.md; if it names
   * none, the skill whose queue has the task.
   */
  get skill(): string | undefined {
    return this.#input.skill;
  }

  /**
   * The task of another agent whose question the client answers with this message: `turn.call(agent, turn.text, {
   * taskId })`.
   */
  get waitingCall(): WaitingCall | undefined {
    return waitingCall(this.history);
  }

  /** The agent that sent this message in a turn of its own; undefined when it comes from a client. */
  get caller(): CallingAgent | undefined {
    return this.#input.caller;
  }
}

/** Whether a list of accepted media types includes one: an empty list accepts everything, `text/*` every text. */
function accepts(accepted: readonly string[], mediaType: string): boolean {
  return accepted.length === 0 || accepted.some((range) => mediaRangesMeet(range, mediaType));
}
