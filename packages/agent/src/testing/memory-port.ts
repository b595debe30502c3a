import { randomUUID } from 'node:crypto';
import {
  fold,
  isTerminal,
  type Message,
  type StreamResponse,
  type Task,
  type TurnEvent,
  type TurnInput,
  type UsageAmounts,
} from '@switchyard/protocol';
import { agentMessage, type Content } from '../messages/content.ts';
import type { LogLine } from '../port/log-line.ts';
import { type CountedUsage, isCharged, type ModelCall, usageOf } from '../port/model-call.ts';
import { TurnEnded } from '../port/turn-errors.ts';
import { type InterruptionKind, TurnInterruption } from '../port/turn-interruption.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { MemoryCalls } from './memory-calls.ts';
import { MemoryContext } from './memory-context.ts';
import { MemoryConversations } from './memory-conversations.ts';
import { MemoryFiles } from './memory-files.ts';
import { MemorySteering } from './memory-steering.ts';
import { MemorySteps } from './memory-steps.ts';
import { MemoryWaits } from './memory-waits.ts';
import { MemoryWorld } from './memory-world.ts';

/** The start of a turn in memory; only the message is required. */
export interface MemoryTurn extends Partial<Omit<TurnInput, 'message'>> {
  readonly message: Content | Message;
  /**
   * The world that the turn shares with other turns, as `world` of another port: results of steps, memory, agents to
   * call. Default: one of its own, without agents.
   */
  readonly world?: MemoryWorld;
  /** What is at these URLs, for `turn.file`. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Messages that earlier attempts got while they ran, and that this one gets again: `steering` of another port. */
  readonly steering?: MemorySteering;
}

const firstAttempt: Omit<TurnInput, 'message' | 'task'> = {
  agent: 'agent',
  principal: { tenant: '', subject: 'anonymous', scopes: [] },
  attempt: 1,
  isLastAttempt: false,
  acceptedOutputModes: [],
  extensions: [],
  metadata: {},
  caller: undefined,
};

/**
 * A turn's port without Redis: folds published events into a task, as the store does.
 *
 *     const port = new MemoryPort({ message: 'Hello' });
 *     const turn = new Turn(port);
 *     await turn.working('On it');
 *     console.assert(port.current.status.state === 'TASK_STATE_WORKING');
 */
export class MemoryPort implements TurnPort {
  readonly input: TurnInput;
  readonly steps: MemorySteps;
  readonly waits: MemoryWaits;
  readonly calls: MemoryCalls;
  readonly context: MemoryContext;
  readonly conversations: MemoryConversations;
  readonly files: MemoryFiles;
  readonly world: MemoryWorld;
  readonly steering: MemorySteering;
  /** Events that the agent published. */
  readonly published: TurnEvent[] = [];
  /** The same as stream responses. */
  readonly events: StreamResponse[] = [];
  /** What the agent used of models. */
  readonly used: CountedUsage[] = [];
  /** Lines that the agent logged. */
  readonly logged: LogLine[] = [];
  readonly #interrupter = new AbortController();
  readonly #watchers = new Set<() => void>();
  #current: Task;
  #refusal: Error | undefined;

  constructor({
    message: content,
    task: before,
    world = new MemoryWorld(),
    steering,
    files = {},
    ...given
  }: MemoryTurn) {
    const message = userMessage(content);
    const task = submitted(before, message);
    this.input = { ...firstAttempt, ...given, message, task };
    this.world = world;
    this.steering = steering ?? new MemorySteering();
    const { agent, caller } = this.input;
    world.usage.addTask(task.id, caller?.taskId);
    const memory = world.resultsOf(task.id, message.messageId);
    this.steps = new MemorySteps(memory, this.input.attempt);
    this.waits = new MemoryWaits(memory, world.clock);
    this.calls = new MemoryCalls(world, { agent, taskId: task.id, depth: (caller?.depth ?? 0) + 1 });
    this.context = new MemoryContext(world, agent, task);
    this.conversations = new MemoryConversations(world);
    for (const [url, content] of Object.entries(files)) world.files.set(url, Buffer.from(content));
    this.files = new MemoryFiles(world);
    this.#current = task;
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
    const keepsChunksApart = event.kind === 'artifact' && event.keepsChunksApart === true;
    this.steps.stamp(event);
    this.published.push(event);
    this.events.push(response);
    this.#current = fold(this.#current, response, { coalesceText: !keepsChunksApart });
    if (isTerminal(this.#current.status.state) && this.#current.status.state !== 'TASK_STATE_COMPLETED')
      this.calls.end();
    for (const check of this.#watchers) check();
  }

  async confirm(): Promise<void> {
    if (this.#refusal) throw this.#refusal;
  }

  noteModelCall(call: ModelCall): void {
    if (isCharged(call)) this.#use(usageOf(call));
  }

  async recordUsage(usage: CountedUsage): Promise<void> {
    this.#use(usage);
  }

  async spent(): Promise<UsageAmounts> {
    return this.world.usage.total(this.input.task.id);
  }

  log(line: LogLine): void {
    this.logged.push(line);
  }

  /** Aborts the turn's signal, as a worker does. */
  interrupt(kind: InterruptionKind): void {
    if (kind === 'canceled') this.calls.end();
    this.#interrupter.abort(new TurnInterruption(kind));
  }

  /** Sends a message of the client while the turn runs: an agent with `whileWorking: 'steer'` gets it. */
  steer(content: Content | Message): void {
    const message = userMessage(content);
    this.#current = { ...this.#current, history: [...(this.#current.history ?? []), message] };
    this.steering.add(message);
  }

  /** Refuses every later write. Default: as when another worker has taken the turn over. */
  refuse(error: Error = new TurnEnded()): void {
    this.#refusal = error;
  }

  /** Resolves with the task as soon as the condition holds. */
  until(holds: (task: Task) => boolean): Promise<Task> {
    const { promise, resolve } = Promise.withResolvers<Task>();
    const check = () => {
      if (!holds(this.#current)) return;
      this.#watchers.delete(check);
      resolve(this.#current);
    };
    this.#watchers.add(check);
    check();
    return promise;
  }

  #use(usage: CountedUsage): void {
    this.used.push(usage);
    this.world.usage.record(this.input.task.id, usage);
  }

  #response(event: TurnEvent): StreamResponse {
    const { id: taskId, contextId = '' } = this.input.task;
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

/** A message of a client. */
export function userMessage(message: Content | Message): Message {
  if (typeof message === 'object' && 'messageId' in message) return message;
  return { ...agentMessage(message), role: 'ROLE_USER' };
}

/** Accepts a message as the store does: adds it to the history, and withdraws a question that it may answer. */
function submitted(task: Task | undefined, message: Message): Task {
  const { contextId = randomUUID() } = message;
  const { history = [], ...rest } = task ?? { id: randomUUID(), contextId };
  return {
    ...rest,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
    history: history.some(({ messageId }) => messageId === message.messageId) ? history : [...history, message],
  };
}
