import { randomUUID } from 'node:crypto';
import { isTerminal, type Task } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { until } from '../../../../tests/support/until.ts';

export interface DeskOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  /** The id of the agent. */
  readonly agent: string;
}

/** Sends messages to an agent through the store, as a gateway does. */
export class Desk {
  readonly #store: Store;
  readonly #scope: Parameters<Store['tasks']['accept']>[0];
  #taskId = '';

  private constructor(store: Store, agent: string) {
    this.#store = store;
    this.#scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent };
  }

  static async open({ redisUrl, prefix, agent }: DeskOptions): Promise<Desk> {
    const store = new Store({ redisUrl, prefix }, () => undefined);
    await store.start();
    return new Desk(store, agent);
  }

  /** Sends a message, and returns the text with which its task ends. */
  async ask(text: string): Promise<string> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] };
    const acceptance = await this.#store.tasks.accept(this.#scope, { message });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    this.#taskId = acceptance.taskId;
    const ended = () => this.#task(({ status }) => isTerminal(status.state));
    const task = await until(ended, { what: 'the task has ended', timeoutMs: 80_000 });
    return task.status.message?.parts[0]?.text ?? '';
  }

  /** Waits until the task of the last message is working. */
  async untilWorking(): Promise<void> {
    const works = () => this.#task(({ status }) => status.state === 'TASK_STATE_WORKING');
    await until(works, { what: 'the agent works', timeoutMs: 30_000 });
  }

  /** Ids of the agents that gateways serve. */
  async announced(): Promise<string[]> {
    return (await this.#store.registry.ids()).sort();
  }

  close(): Promise<void> {
    return this.#store.stop();
  }

  async #task(holds: (task: Task) => boolean): Promise<Task | undefined> {
    const { task: json } = (await this.#store.tasks.read(this.#scope, this.#taskId)) ?? {};
    const task: Task | undefined = json === undefined ? undefined : JSON.parse(json.toString());
    return task && holds(task) ? task : undefined;
  }
}
