import type { CallingAgent, Message, Task } from '@switchyard/protocol';
import type { CallOutcome, OutgoingCall } from '../port/call-port.ts';
import type { OtherTask } from '../port/context-port.ts';
import type { ConversationEvent } from '../port/conversation-event.ts';
import { MemoryUsage } from './memory-usage.ts';
import { SkippingClock } from './memory-waits.ts';

/** A running agent in memory. */
export interface RunningTask {
  /** The current task. */
  readonly task: () => Task;
  readonly outcome: Promise<CallOutcome>;
  readonly cancel: () => void;
}

/** A message to an agent. */
export interface WorldMessage {
  readonly message: Message;
  readonly task: Task | undefined;
  readonly call: OutgoingCall;
  readonly caller: CallingAgent;
}

export type RunAgent = (message: WorldMessage) => RunningTask;

interface WorldTask {
  readonly agent: string;
  readonly running: RunningTask;
  /** An agent called it; otherwise a client started it. */
  readonly isCalled: boolean;
}

/** The world that the tasks of a test share: agents to call, memory, conversations. */
export class MemoryWorld {
  readonly agents = new Map<string, RunAgent>();
  /** Of all waits. */
  readonly clock = new SkippingClock();
  readonly usage = new MemoryUsage();
  /** Files by their URLs: those that agents write, and those of the test. */
  readonly files = new Map<string, Uint8Array>();
  /** The events of each conversation, by its id. */
  readonly conversations = new Map<string, ConversationEvent[]>();
  /** Tasks by id, in the order of their first messages. */
  readonly tasks = new Map<string, WorldTask>();
  readonly #calls = new Map<string, string>();
  readonly #results = new Map<string, Map<string, string>>();
  readonly #memories = new Map<string, { json: string; version: number }>();

  /** Results of the steps of one turn, for all its attempts. */
  resultsOf(taskId: string, messageId: string): Map<string, string> {
    return entry(this.#results, `${taskId} ${messageId}`, () => new Map());
  }

  /** The value that an agent keeps for a context. */
  memoryOf(agent: string, contextId: string): { json: string; version: number } {
    return entry(this.#memories, `${agent} ${contextId}`, () => ({ json: '', version: 0 }));
  }

  /** Adds a turn of a task that a client started. */
  add(agent: string, running: RunningTask): void {
    this.tasks.set(running.task().id, { agent, running, isCalled: false });
  }

  /** The current tasks of the agents that were called. */
  calls(): OtherTask[] {
    return [...this.tasks.values()]
      .filter(({ isCalled }) => isCalled)
      .map(({ agent, running }) => ({ agent, task: running.task() }));
  }

  /** Makes one task per message. @returns its id; undefined: there is no such agent, or task */
  place(call: OutgoingCall, caller: CallingAgent): string | undefined {
    const { message, agent } = call;
    const known = this.#calls.get(message.messageId);
    const run = this.agents.get(agent);
    if (known !== undefined || !run) return known;
    const before = message.taskId === undefined ? undefined : this.tasks.get(message.taskId)?.running.task();
    if (message.taskId !== undefined && !before) return undefined;
    const running = run({ message, task: before, call, caller });
    const { id } = running.task();
    this.tasks.set(id, { agent, running, isCalled: true });
    this.#calls.set(message.messageId, id);
    return id;
  }
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
