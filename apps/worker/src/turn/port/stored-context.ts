import type { OtherTask, OtherTasksOptions } from '@switchyard/agent';
import type { ContextPort, StoredState } from '@switchyard/agent/runtime';
import type { Task } from '@switchyard/protocol';
import type { OpenTurn, Store } from '@switchyard/store';
import { mapStoreErrors } from './store-errors.ts';

/** Most tasks that are read at once. */
const MAX_TASKS = 100;

export class StoredContext implements ContextPort {
  readonly #store: Store;
  readonly #turn: OpenTurn;

  constructor(store: Store, turn: OpenTurn) {
    this.#store = store;
    this.#turn = turn;
  }

  async tasks({ limit = 50, historyLength = 0 }: OtherTasksOptions): Promise<OtherTask[]> {
    const { taskId, principal, task } = this.#turn.start;
    const found = await this.#store.tasks.context(principal, {
      contextId: task.contextId ?? '',
      agents: await this.#store.registry.ids(),
      limit: Math.min(limit, MAX_TASKS),
      historyLength,
      except: taskId,
    });
    return found.map(({ agent, task: json }): OtherTask => {
      const read: Task = JSON.parse(json);
      return { agent, task: read };
    });
  }

  async read(): Promise<StoredState> {
    const { version, json } = await this.#store.memory.read(this.#turn);
    return { version, json };
  }

  write(json: string, ifVersion?: number): Promise<number | undefined> {
    return mapStoreErrors(() => this.#store.memory.write(this.#turn, json, ifVersion));
  }
}
