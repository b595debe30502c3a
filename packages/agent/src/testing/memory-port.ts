import { randomUUID } from 'node:crypto';
import { fold, isTerminal, type Message, type Metadata, type StreamResponse, type Task } from '@switchyard/protocol';
import { agentMessage, type Content } from '../messages/content.ts';
import type { Caller } from '../port/call-port.ts';
import { TurnEnded } from '../port/turn-errors.ts';
import { type InterruptionKind, TurnInterruption } from '../port/turn-interruption.ts';
import type { Principal, TurnEvent, TurnPort } from '../port/turn-port.ts';
import { MemoryCalls } from './memory-calls.ts';
import { MemoryContext } from './memory-context.ts';
import { MemoryConversations } from './memory-conversations.ts';
import { MemorySteps } from './memory-steps.ts';
import { MemoryWorld } from './memory-world.ts';

/** What a turn in memory begins with; only the message is needed. */
export interface MemoryTurn {
  readonly message: Content | Message;
  /** The task that the message belongs to. Default: a new one. */
  readonly task?: Task;
  readonly principal?: Principal;
  /** Default: 1. */
  readonly attempt?: number;
  /** Default: false. */
  readonly isLastAttempt?: boolean;
  readonly acceptedOutputModes?: readonly string[];
  readonly extensions?: readonly string[];
  readonly metadata?: Metadata;
  /** Id of the agent whose turn it is. Default: `agent`. */
  readonly agent?: string;
  /** The agent that called. Default: none. */
  readonly caller?: Caller | undefined;
  /**
   * What the turn shares with other turns: results of its steps, agents to call. Default: one of its own, without
   * agents.
   */
  readonly world?: MemoryWorld;
}

/** A turn's port without Redis: folds what is published into a task, as the store does. */
export class MemoryPort implements TurnPort {
  readonly task: Task;
  readonly message: Message;
  readonly agent: string;
  readonly principal: Principal;
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  readonly acceptedOutputModes: readonly string[];
  readonly extensions: readonly string[];
  readonly metadata: Metadata;
  readonly caller: Caller | undefined;
  readonly steps: MemorySteps;
  readonly calls: MemoryCalls;
  readonly context: MemoryContext;
  readonly conversations: MemoryConversations;
  /** What the agent published. */
  readonly published: TurnEvent[] = [];
  /** The same as subscribers see it. */
  readonly events: StreamResponse[] = [];
  readonly #interrupter = new AbortController();
  readonly #watchers = new Set<() => void>();
  #current: Task;
  #refusal: Error | undefined;

  constructor(turn: MemoryTurn) {
    this.message = userMessage(turn.message);
    this.task = submitted(turn.task, this.message);
    this.principal = turn.principal ?? { tenant: '', subject: 'anonymous', scopes: [] };
    this.attempt = turn.attempt ?? 1;
    this.isLastAttempt = turn.isLastAttempt ?? false;
    this.acceptedOutputModes = turn.acceptedOutputModes ?? [];
    this.extensions = turn.extensions ?? [];
    this.metadata = turn.metadata ?? {};
    this.caller = turn.caller;
    const { world = new MemoryWorld(), agent = 'agent' } = turn;
    const { id: taskId } = this.task;
    this.agent = agent;
    this.steps = new MemorySteps(world.resultsOf(taskId, this.message.messageId));
    this.calls = new MemoryCalls(world, { agent, taskId, depth: (turn.caller?.depth ?? 0) + 1 });
    this.context = new MemoryContext(world, agent, this.task);
    this.conversations = new MemoryConversations(world);
    this.#current = this.task;
  }

  get signal(): AbortSignal {
    return this.#interrupter.signal;
  }

  /** The task with everything that was published so far. */
  get current(): Task {
    return this.#current;
  }

  async publish(event: TurnEvent): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    const response = this.#response(event);
    const keepsParts = event.kind === 'artifact' && event.keepsParts === true;
    this.steps.stamp(event);
    this.published.push(event);
    this.events.push(response);
    this.#current = fold(this.#current, response, { coalesceText: !keepsParts });
    if (isTerminal(this.#current.status.state) && this.#current.status.state !== 'TASK_STATE_COMPLETED')
      this.calls.end();
    for (const look of this.#watchers) look();
  }

  async confirm(): Promise<void> {
    if (this.#refusal) throw this.#refusal;
  }

  /** Aborts the turn's signal, as a worker does. */
  interrupt(kind: InterruptionKind): void {
    if (kind === 'canceled') this.calls.end();
    this.#interrupter.abort(new TurnInterruption(kind));
  }

  /** Refuses every further write. Default: as when another worker has taken the turn over. */
  refuse(error: Error = new TurnEnded()): void {
    this.#refusal = error;
  }

  /** Resolves with the task as soon as it is so. */
  until(holds: (task: Task) => boolean): Promise<Task> {
    const { promise, resolve } = Promise.withResolvers<Task>();
    const look = () => {
      if (!holds(this.#current)) return;
      this.#watchers.delete(look);
      resolve(this.#current);
    };
    this.#watchers.add(look);
    look();
    return promise;
  }

  #response(event: TurnEvent): StreamResponse {
    const { id: taskId, contextId = '' } = this.task;
    const metadata = event.metadata && { metadata: event.metadata };
    if (event.kind === 'artifact') {
      const { artifact, append, lastChunk } = event;
      return { artifactUpdate: { taskId, contextId, artifact, append, lastChunk, ...metadata } };
    }
    const message = event.message && { message: event.message };
    const status = { state: event.state, ...message, timestamp: new Date().toISOString() };
    return { statusUpdate: { taskId, contextId, status, ...metadata } };
  }
}

function userMessage(message: Content | Message): Message {
  if (typeof message === 'object' && 'messageId' in message) return message;
  return { ...agentMessage(message), role: 'ROLE_USER' };
}

/** As the store accepts a message: it is in history, and the question that it may answer no longer stands. */
function submitted(task: Task | undefined, message: Message): Task {
  const { contextId = randomUUID() } = message;
  const { history = [], ...rest } = task ?? { id: randomUUID(), contextId };
  return {
    ...rest,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
    history: history.some(({ messageId }) => messageId === message.messageId) ? history : [...history, message],
  };
}
