import { readSendResult, readTaskView, type SendResult, type TaskView } from './answers.ts';
import type { Binding } from './bindings/binding.ts';
import type { Connections } from './connections.ts';
import type { Outgoing, Reply } from './exchange.ts';
import { type OpenStream, openStream, type StreamOptions } from './open-stream.ts';
import { andThen, type Outcome, succeeded } from './outcome.ts';

export interface ClientSettings {
  readonly connections: Connections;
  readonly binding: Binding;
  /** From the moment at which a request should have been sent. */
  readonly timeoutMs: number;
  /** Begins the ids of messages: were it that of another run, the messages would be taken for retries of its. */
  readonly runId: string;
}

export interface TaskReading {
  /** Undefined: unchanged since the version that is known already. */
  readonly task: TaskView | undefined;
  readonly etag: string | undefined;
}

/**
 * A client of one agent that does nothing of its own accord: no retries, no redirects. `dueAt` is when a request should
 * have been sent, by `performance.now()`.
 */
export class A2AClient {
  readonly #settings: ClientSettings;
  #messages = 0;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  get binding(): Binding['name'] {
    return this.#settings.binding.name;
  }

  async send(text: string, returnImmediately: boolean, dueAt: number): Promise<Outcome<SendResult>> {
    const { binding } = this.#settings;
    const reply = await this.#ask(binding.sendMessage({ messageId: this.#nextId(), text, returnImmediately }), dueAt);
    return andThen(andThen(reply, binding.readReply), readSendResult);
  }

  /** @param etag of the version that is known already */
  async getTask(id: string, etag: string | undefined, dueAt: number): Promise<Outcome<TaskReading>> {
    const { binding } = this.#settings;
    const outcome = await this.#ask(binding.getTask(id, etag), dueAt);
    return andThen(outcome, (reply): Outcome<TaskReading> => {
      if (reply.status === 304 && etag !== undefined) return succeeded({ task: undefined, etag });
      const task = andThen(binding.readReply(reply), readTaskView);
      return andThen(task, (value) => succeeded({ task: value, etag: reply.headers.etag }));
    });
  }

  stream(text: string, options: Omit<StreamOptions, 'timeoutMs'>): OpenStream {
    const { binding, timeoutMs } = this.#settings;
    const message = { messageId: this.#nextId(), text, returnImmediately: false };
    return openStream(this.#settings, binding.sendStreamingMessage(message), { ...options, timeoutMs });
  }

  #ask(request: Outgoing, dueAt: number): Promise<Outcome<Reply>> {
    const { connections, timeoutMs } = this.#settings;
    return connections.begin({ request, expiresAt: dueAt + timeoutMs }).reply;
  }

  #nextId(): string {
    this.#messages++;
    return `${this.#settings.runId}-${this.#messages}`;
  }
}
