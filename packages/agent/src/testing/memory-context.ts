import type { Task } from '@switchyard/protocol';
import type { ContextPort, OtherTask, OtherTasksOptions, StoredState } from '../port/context-port.ts';
import type { MemoryWorld } from './memory-world.ts';

/** The context of one task in a world. */
export class MemoryContext implements ContextPort {
  readonly #world: MemoryWorld;
  readonly #agent: string;
  readonly #task: Task;

  constructor(world: MemoryWorld, agent: string, task: Task) {
    this.#world = world;
    this.#agent = agent;
    this.#task = task;
  }

  async tasks({ limit = 50, historyLength = 0 }: OtherTasksOptions): Promise<OtherTask[]> {
    return [...this.#world.tasks.values()]
      .map(({ agent, running }) => ({ agent, task: shortened(running.task(), historyLength) }))
      .filter(({ task }) => task.id !== this.#task.id && task.contextId === this.#task.contextId)
      .reverse()
      .slice(0, limit);
  }

  async read(): Promise<StoredState> {
    const { json, version } = this.#memory;
    return { version, json: version ? json : undefined };
  }

  async write(json: string, ifVersion?: number): Promise<number | undefined> {
    const memory = this.#memory;
    if (ifVersion !== undefined && ifVersion !== memory.version) return undefined;
    memory.json = json;
    memory.version++;
    return memory.version;
  }

  get #memory(): { json: string; version: number } {
    return this.#world.memoryOf(this.#agent, this.#task.contextId ?? '');
  }
}

function shortened({ history, ...task }: Task, historyLength: number): Task {
  return historyLength > 0 && history ? { ...task, history: history.slice(-historyLength) } : task;
}
