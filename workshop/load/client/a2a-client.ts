import { taskStateSchema } from '@switchyard/protocol/schemas';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { type Binding, readReply } from './binding.ts';
import { type Connections, isEventStream, type Outgoing, type Reply } from './connections.ts';
import { andThen, failed, type Outcome, succeeded } from './outcome.ts';

/** As much of a task as a load test looks at: whole ones would cost more to check than to serve. */
const taskViewSchema = z.object({ id: z.string(), status: z.object({ state: taskStateSchema }) });
export type TaskView = z.output<typeof taskViewSchema>;

/** A2A 3.2.3: a task, or a message and no task. */
const sendResultSchema = z.union([z.object({ task: taskViewSchema }), z.object({ message: z.object({}) })]);
export type SendResult = z.output<typeof sendResultSchema>;

/** A2A 3.2.4. */
const streamEventSchema = z.union([
  z.object({ statusUpdate: z.object({ taskId: z.string(), status: taskViewSchema.shape.status }) }),
  z.object({
    artifactUpdate: z.object({ artifact: z.object({ parts: z.array(z.object({ text: z.string().optional() })) }) }),
  }),
  ...sendResultSchema.options,
]);
export type StreamEvent = z.output<typeof streamEventSchema>;

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

export interface StreamOptions {
  readonly dueAt: number;
  /** What the timeout is for: the whole stream, or its first piece. */
  readonly timeoutFor: 'end' | 'beginning';
  /** @param id as the server sends it; undefined when it sends none */
  readonly onEvent: (event: StreamEvent, id: string | undefined) => void;
}

export interface OpenStream {
  /** Resolves when the stream has ended, however it did. */
  readonly ended: Promise<Outcome<void>>;
  /** Ends it from this side: the outcome is the failure `left`. */
  leave(): void;
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

  async send(text: string, returnImmediately: boolean, dueAt: number): Promise<Outcome<SendResult>> {
    const { binding } = this.#settings;
    const reply = await this.#ask(binding.sendMessage(this.#message(text, returnImmediately)), dueAt);
    return andThen(reply, (whole) => this.#read(sendResultSchema, whole));
  }

  /** @param etag of the version that is known already */
  async getTask(id: string, etag: string | undefined, dueAt: number): Promise<Outcome<TaskReading>> {
    const outcome = await this.#ask(this.#settings.binding.getTask(id, etag), dueAt);
    return andThen(outcome, (reply): Outcome<TaskReading> => {
      if (reply.status === 304 && etag !== undefined) return succeeded({ task: undefined, etag });
      const task = this.#read(taskViewSchema, reply);
      return andThen(task, (value) => succeeded({ task: value, etag: reply.headers.etag }));
    });
  }

  stream(text: string, { dueAt, timeoutFor, onEvent }: StreamOptions): OpenStream {
    const { binding, connections, timeoutMs } = this.#settings;
    let problem: Outcome<void> | undefined;
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent({ event: name, data, id }) {
        // An event called `error` is a server's last word on a stream that it cannot go on with.
        const json = name === 'error' ? failed('stream broke off', data) : binding.read(data);
        const event = andThen(json, (value) => checked(streamEventSchema, value));
        if (event.ok) onEvent(event.value, id);
        else problem ??= event;
      },
    });
    const request = binding.sendStreamingMessage(this.#message(text, false));
    const exchange = connections.begin(request, dueAt + timeoutMs, (piece) => {
      if (timeoutFor === 'beginning') exchange.keepOpen();
      parser.feed(decoder.decode(piece, { stream: true }));
    });
    const ended = exchange.reply.then((reply) => problem ?? andThen(reply, (whole) => endOf(binding, whole)));
    return { ended, leave: () => exchange.abort('left') };
  }

  #ask(request: Outgoing, dueAt: number): Promise<Outcome<Reply>> {
    const { connections, timeoutMs } = this.#settings;
    return connections.begin(request, dueAt + timeoutMs).reply;
  }

  #read<S extends z.ZodType>(schema: S, reply: Reply): Outcome<z.output<S>> {
    return andThen(readReply(this.#settings.binding, reply), (result) => checked(schema, result));
  }

  #message(text: string, returnImmediately: boolean) {
    this.#messages++;
    return { messageId: `${this.#settings.runId}-${this.#messages}`, text, returnImmediately };
  }
}

function endOf(binding: Binding, reply: Reply): Outcome<void> {
  if (reply.status === 200 && isEventStream(reply.headers)) return succeeded(undefined);
  return andThen(readReply(binding, reply), () => failed('no stream but a plain answer', reply.body));
}

function checked<S extends z.ZodType>(schema: S, result: unknown): Outcome<z.output<S>> {
  const { success, data } = schema.safeParse(result);
  return success ? succeeded(data) : failed('unreadable answer', JSON.stringify(result));
}
