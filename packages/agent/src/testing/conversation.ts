import {
  A2AError,
  isTerminal,
  type Message,
  type StreamResponse,
  type Task,
  type TaskState,
} from '@switchyard/protocol';
import type { Agent } from '../definition/agent.ts';
import { type Content, textOf } from '../messages/content.ts';
import type { TurnResult } from '../port/outcome.ts';
import type { MemoryTurn } from './memory-port.ts';
import type { MemoryWorld } from './memory-world.ts';
import { type RunMessageOptions, startMessage, worldOf } from './run-message.ts';

export interface ConversationOptions
  extends Omit<MemoryTurn, 'message' | 'task' | 'attempt' | 'isLastAttempt' | 'agent' | 'world'>,
    RunMessageOptions {
  /** Agents that this one may call. Default: none. */
  readonly agents?: readonly Agent[];
}

/** The result of one message. */
export interface Exchange {
  readonly task: Task;
  readonly state: TaskState;
  readonly result: TurnResult;
  /** All published events, of all attempts. */
  readonly events: readonly StreamResponse[];
  /** The text of the agent's last message; empty without one. */
  readonly answer: string;
  /** The texts of the artifacts, by name; of several with one name, the last. */
  readonly results: Readonly<Record<string, string>>;
}

/** Talks to an agent without Redis, queue or gateway: one task, turn after turn. */
export class Conversation {
  readonly #agent: Agent;
  readonly #options: Omit<ConversationOptions, 'agents'>;
  /** What the turns share: agents to call, memory, conversations. */
  readonly world: MemoryWorld;
  #task: Task | undefined;

  constructor(agent: Agent, { agents = [], ...options }: ConversationOptions = {}) {
    this.#agent = agent;
    this.#options = options;
    this.world = worldOf(agents, options);
  }

  get task(): Task | undefined {
    return this.#task;
  }

  /**
   * Sends a message and runs its turn to the end.
   * @throws {A2AError} UnsupportedOperation when the task has ended (A2A 3.1.1)
   */
  async say(message: Content | Message): Promise<Exchange> {
    if (this.#task && isTerminal(this.#task.status.state))
      throw new A2AError('UnsupportedOperation', 'The task has ended.');
    const turn = { ...this.#options, message, world: this.world, ...(this.#task && { task: this.#task }) };
    const { port, result, events } = await startMessage(this.#agent, turn, this.#options).done;
    const task = port.current;
    this.#task = task;
    return { task, state: task.status.state, result, events, answer: answerIn(task), results: resultsOf(task) };
  }
}

function answerIn({ status }: Task): string {
  return status.message ? textOf(status.message) : '';
}

function resultsOf({ artifacts = [] }: Task): Record<string, string> {
  return Object.fromEntries(artifacts.map(({ name = '', parts }) => [name, textOf({ parts })]));
}

/**
 * Sends one message to an agent and runs its turn to the end, without Redis, queue or gateway:
 * `const { answer, state } = await runMessage(hello, 'Ada')`. For more than one message: `Conversation`.
 */
export function runMessage(
  agent: Agent,
  message: Content | Message,
  options: ConversationOptions = {},
): Promise<Exchange> {
  return new Conversation(agent, options).say(message);
}
