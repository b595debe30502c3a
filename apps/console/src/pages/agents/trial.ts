import { type ReadonlySignal, signal } from '@preact/signals';
import { OperatorError } from '@switchyard/operator-api';
import { fold, isTerminal, type Message, type Part, type StreamResponse, type Task } from '@switchyard/protocol';
import { z } from 'zod';
import { call, problemText, progress } from '../../app/api.ts';
import { newMessageId } from '../../app/message-id.ts';

/** A message to an agent, and its answer so far. */
export interface Exchange {
  readonly sent: Message;
  readonly task?: Task;
  /** The message of an agent that created no task. */
  readonly answer?: Message;
  readonly problem?: string;
  /** The fields of the data that the agent does not take, and why: `size must be one of small, large`. */
  readonly wrongFields?: readonly string[];
  readonly isOpen: boolean;
}

/** An item of the gateway's stream; an error ends it. Events are those of A2A, of which only the kind is checked. */
const eventSchema = z.union([
  z.looseObject({ error: z.object({ message: z.string() }) }),
  z.custom<StreamResponse>((value) => typeof value === 'object' && value !== null),
]);
const version = { 'A2A-Version': '1.0' };

/** A conversation with one agent, as a client: messages are sent one after the other. */
export class Trial {
  readonly #agent: string;
  readonly #exchanges = signal<readonly Exchange[]>([]);
  readonly #stop = new AbortController();

  constructor(agent: string) {
    this.#agent = agent;
  }

  get exchanges(): ReadonlySignal<readonly Exchange[]> {
    return this.#exchanges;
  }

  /**
   * Sends parts in the same context, and to the task that waits for input, if there is one. Resolves when the answer
   * ends.
   */
  async send(parts: readonly Part[]): Promise<void> {
    const last = this.#exchanges.value.at(-1);
    const contextId = last?.task?.contextId ?? last?.answer?.contextId;
    const open = last?.task && !isTerminal(last.task.status.state) ? last.task : undefined;
    const sent: Message = {
      messageId: newMessageId(),
      role: 'ROLE_USER',
      parts: [...parts],
      ...(contextId !== undefined && { contextId }),
      ...(open && { taskId: open.id }),
    };
    await this.#follow({ sent, isOpen: true, ...(open && { task: open }) });
  }

  /** Cancels the task. */
  async cancel(): Promise<void> {
    const task = this.#exchanges.value.at(-1)?.task;
    if (!task) return;
    const path = `${this.#base}/tasks/${encodeURIComponent(task.id)}:cancel`;
    await call(path, z.unknown(), { method: 'POST', query: version, body: {} });
  }

  /** Stops reading. Tasks continue. */
  leave(): void {
    this.#stop.abort();
  }

  /** Whether the next message begins a task. */
  get beginsTask(): boolean {
    const task = this.#exchanges.value.at(-1)?.task;
    return task === undefined || isTerminal(task.status.state);
  }

  get #base(): string {
    return `/a2a/agents/${encodeURIComponent(this.#agent)}`;
  }

  async #follow(begun: Exchange): Promise<void> {
    const at = this.#exchanges.value.length;
    const show = paced((exchange: Exchange) => {
      this.#exchanges.value = this.#exchanges.value.with(at, exchange);
    });
    this.#exchanges.value = [...this.#exchanges.value, begun];
    let exchange = begun;
    try {
      const body = { message: begun.sent };
      const how = { method: 'POST', query: version, body, signal: this.#stop.signal } as const;
      for await (const event of progress(`${this.#base}/message:stream`, eventSchema, how)) {
        exchange = after(exchange, event);
        show(exchange);
      }
    } catch (error) {
      exchange = { ...exchange, problem: problemText(error), wrongFields: wrongFieldsIn(error) };
    }
    show({ ...exchange, isOpen: false });
  }
}

function wrongFieldsIn(error: unknown): readonly string[] {
  const violations = error instanceof OperatorError ? error.violations : [];
  return violations.map(
    ({ field, description }) => `${field.replace(/^message\.parts\[\d+\]\.data\.?/, '') || 'the data'} ${description}`,
  );
}

function after(exchange: Exchange, event: z.infer<typeof eventSchema>): Exchange {
  if ('error' in event) return { ...exchange, problem: event.error.message };
  if (event.task) return { ...exchange, task: event.task };
  if (exchange.task) return { ...exchange, task: fold(exchange.task, event) };
  return event.message ? { ...exchange, answer: event.message } : exchange;
}

/** Shows only the last update of each frame. */
function paced<T>(show: (value: T) => void): (value: T) => void {
  let latest: { readonly value: T } | undefined;
  return (value) => {
    if (!latest)
      requestAnimationFrame(() => {
        if (latest) show(latest.value);
        latest = undefined;
      });
    latest = { value };
  };
}
