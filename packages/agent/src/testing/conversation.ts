import { A2AError, isTerminal, type Message, type StreamResponse, type Task } from '@switchyard/protocol';
import type { Agent } from '../agent.ts';
import { type Content, textOf } from '../content.ts';
import { type RunTurnOptions, runTurn } from '../run-turn.ts';
import type { TurnResult } from '../turn-result.ts';
import { MemoryPort, type MemoryTurn } from './memory-port.ts';

export interface ConversationOptions
  extends Omit<MemoryTurn, 'message' | 'task' | 'attempt' | 'isLastAttempt'>,
    RunTurnOptions {
  /** How often a turn that fails retryably is run, at once each time. Default: 3. */
  readonly maxAttempts?: number;
}

/** What came of one message. */
export interface Exchange {
  readonly task: Task;
  readonly result: TurnResult;
  /** Everything that was published, over all attempts. */
  readonly events: readonly StreamResponse[];
  /** The text of the agent's last message; empty when it said nothing. */
  readonly answer: string;
}

/** Talks to an agent without Redis, queue or gateway: one task, turn after turn. */
export class Conversation {
  readonly #agent: Agent;
  readonly #options: ConversationOptions;
  #task: Task | undefined;

  constructor(agent: Agent, options: ConversationOptions = {}) {
    this.#agent = agent;
    this.#options = options;
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
    const { maxAttempts = 3, ...options } = this.#options;
    const events: StreamResponse[] = [];
    for (let attempt = 1, turn: MemoryTurn = this.#turn(message); ; attempt++) {
      const port = new MemoryPort({ ...options, ...turn, attempt, isLastAttempt: attempt >= maxAttempts });
      const result = await runTurn(this.#agent, port, options);
      events.push(...port.events);
      this.#task = port.current;
      if (result.kind !== 'retry' || port.isLastAttempt)
        return { task: port.current, result, events, answer: answerIn(port.current) };
      turn = this.#turn(port.message);
    }
  }

  #turn(message: Content | Message): MemoryTurn {
    return this.#task ? { message, task: this.#task } : { message };
  }
}

function answerIn({ status }: Task): string {
  return status.message ? textOf(status.message) : '';
}
