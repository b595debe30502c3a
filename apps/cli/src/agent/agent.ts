import {
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  AgentCard as SdkCard,
  Message as SdkMessage,
  StreamResponse as SdkStreamResponse,
  Task as SdkTask,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import type { RequestOptions, Transport } from '@a2a-js/sdk/client';
import { inputExample, inputUri, resumableStreamsUri, waitingUri } from '@switchyard/protocol';
import { callFailure } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { authFailure } from './auth-failure.ts';
import type { Capability, Card } from './card.ts';
import type { ChosenInterface } from './choose-interface.ts';
import { offers, withExtensionOf } from './extensions.ts';
import type { PushConfig, SendMessageResponse, StreamResponse, Task } from './objects.ts';
import type { TokenSource } from './token-source.ts';
import { followWithToken, withToken } from './with-token.ts';

export interface TaskView {
  readonly historyLength?: number | undefined;
  /** The task says what it waits for, if the agent can. */
  readonly explainsWait?: boolean;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** Filters and a page of `task list`. */
export interface TaskFilter {
  readonly contextId?: string | undefined;
  readonly status?: string | undefined;
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
  readonly historyLength?: number | undefined;
}

export interface Connection {
  readonly transport: Transport;
  readonly call: RequestOptions;
  readonly hasCredentials: boolean;
  readonly login: TokenSource | undefined;
  /** The agent, as the user named it. */
  readonly reference: string;
}

/** An agent, with the JSON of A2A 1.0 for any binding and version. Each call throws {CommandFailure}. */
export class Agent {
  readonly card: Card;
  readonly chosen: ChosenInterface;
  readonly #connection: Connection;

  constructor(card: Card, chosen: ChosenInterface, connection: Connection) {
    this.card = card;
    this.chosen = chosen;
    this.#connection = connection;
  }

  /** The card says which calls are supported. */
  can(capability: Capability): boolean {
    return this.card.capabilities?.[capability] === true;
  }

  /** @param extensions that the request uses: their URIs */
  send(request: unknown, extensions: readonly string[] = []): Promise<SendMessageResponse> {
    this.#require(extensions);
    return this.#ask(async ({ transport, call }) => {
      const options = this.#explainingWait(extensions.reduce(withExtensionOf, call));
      const result = await transport.sendMessage(SendMessageRequest.fromJSON(request), options);
      return 'messageId' in result ? { message: SdkMessage.toJSON(result) } : { task: SdkTask.toJSON(result) };
    });
  }

  /** A message that is sent again, with the same id, gets the first answer. */
  get knowsMessageIds(): boolean {
    return offers(this.card, resumableStreamsUri);
  }

  /** @param extensions as of `send` */
  stream(request: unknown, extensions: readonly string[] = []): AsyncGenerator<StreamResponse> {
    this.#require(extensions);
    return this.#follow(({ transport, call }) =>
      transport.sendMessageStream(SendMessageRequest.fromJSON(request), extensions.reduce(withExtensionOf, call)),
    );
  }

  /** @param lastEventId id of an event: the stream continues after it */
  subscribe(id: string, lastEventId?: string): AsyncGenerator<StreamResponse> {
    return this.#follow(({ transport, call: { serviceParameters, ...call } }) => {
      const after = lastEventId !== undefined && { 'Last-Event-ID': lastEventId };
      const options = { ...call, serviceParameters: { ...serviceParameters, ...after } };
      return transport.resubscribeTask({ id, tenant: '' }, options);
    });
  }

  getTask(id: string, { historyLength, explainsWait = false }: TaskView = {}): Promise<Task> {
    return this.#ask(async ({ transport, call }) => {
      const options = explainsWait ? this.#explainingWait(call) : call;
      return SdkTask.toJSON(await transport.getTask(GetTaskRequest.fromJSON({ id, historyLength }), options));
    });
  }

  /** The task says what it waits for, if the agent can. */
  cancelTask(id: string, metadata?: object): Promise<Task> {
    return this.#ask(async ({ transport, call }) =>
      SdkTask.toJSON(
        await transport.cancelTask({ id, tenant: '', metadata: { ...metadata } }, this.#explainingWait(call)),
      ),
    );
  }

  /** With the required fields of the answer, which the SDK leaves out if they are empty or 0 (A2A 3.1.4). */
  listTasks(filter: TaskFilter): Promise<TaskPage> {
    return this.#ask(async ({ transport, call }) => {
      const page = await transport.listTasks(ListTasksRequest.fromJSON(filter), call);
      const { nextPageToken, pageSize, totalSize } = page;
      return { tasks: [], nextPageToken, pageSize, totalSize, ...Object(ListTasksResponse.toJSON(page)) };
    });
  }

  /** An example of the data that a task begins with (docs/extensions/input.md); unset: any message will do. */
  get exampleData(): string | undefined {
    const input = this.card.capabilities?.extensions?.find(({ uri }) => uri === inputUri);
    return input && JSON.stringify(inputExample(Object(Object(input.params).schema)));
  }

  extendedCard(): Promise<Card> {
    return this.#ask(async ({ transport, call }) =>
      SdkCard.toJSON(await transport.getExtendedAgentCard({ tenant: '' }, call)),
    );
  }

  createPushConfig(config: object): Promise<PushConfig> {
    return this.#ask(async ({ transport, call }) =>
      TaskPushNotificationConfig.toJSON(
        await transport.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(config), call),
      ),
    );
  }

  getPushConfig(taskId: string, id: string): Promise<PushConfig> {
    return this.#ask(async ({ transport, call }) =>
      TaskPushNotificationConfig.toJSON(
        await transport.getTaskPushNotificationConfig({ tenant: '', taskId, id }, call),
      ),
    );
  }

  listPushConfigs(
    taskId: string,
  ): Promise<{ readonly configs: readonly PushConfig[]; readonly nextPageToken?: string }> {
    return this.#ask(async ({ transport, call }) => {
      const page = { tenant: '', taskId, pageSize: 0, pageToken: '' };
      const { configs, nextPageToken } = await transport.listTaskPushNotificationConfig(page, call);
      const json = configs.map((config) => TaskPushNotificationConfig.toJSON(config));
      return { configs: json, ...(nextPageToken && { nextPageToken }) };
    });
  }

  deletePushConfig(taskId: string, id: string): Promise<void> {
    return this.#ask(async ({ transport, call }) => {
      await transport.deleteTaskPushNotificationConfig({ tenant: '', taskId, id }, call);
    });
  }

  /** Its tasks say what they wait for. */
  get explainsWaits(): boolean {
    return offers(this.card, waitingUri);
  }

  #explainingWait(call: RequestOptions): RequestOptions {
    return this.explainsWaits ? withExtensionOf(call, waitingUri) : call;
  }

  /** The SDK returns JSON of A2A; the caller knows its type. */
  async #ask<T>(ask: (connection: Connection) => Promise<unknown>): Promise<T> {
    try {
      return (await withToken(this.#connection, ask)) as T;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async *#follow(follow: (connection: Connection) => AsyncIterable<SdkStreamResponse>): AsyncGenerator<StreamResponse> {
    try {
      for await (const event of followWithToken(this.#connection, follow))
        yield SdkStreamResponse.toJSON(event) as StreamResponse;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #require(extensions: readonly string[]): void {
    const missing = extensions.find((uri) => !offers(this.card, uri));
    if (missing !== undefined)
      throw new CommandFailure('UnsupportedOperationError', `The agent does not offer ${missing}`);
  }

  #explained(error: unknown): CommandFailure {
    if (isUnreadable(error))
      return new CommandFailure('A2ACLI_ERR_INTERNAL', 'The agent’s answer is not A2A', { cause: error });
    const failure = callFailure(error, this.#connection.call.signal);
    const { code, message, a2aCode, hint } = failure;
    if (hint !== undefined) return failure;
    if (code === 'A2ACLI_ERR_AUTH_FAILED' || code === 'A2ACLI_ERR_CREDENTIALS_MISSING')
      return authFailure(failure, { ...this.#connection, card: this.card });
    if (code !== 'TaskNotFoundError') return failure;
    return new CommandFailure(code, `${message} (at the agent “${this.card.name}”, ${this.chosen.url})`, {
      a2aCode,
      hint: 'A task is found only at its own agent (-a), with the credentials that sent its message.',
      cause: error,
    });
  }
}

/** What the SDK throws at an answer without its result, or that is no JSON. A broken connection is another TypeError. */
function isUnreadable(error: unknown): boolean {
  return (
    error instanceof SyntaxError || (error instanceof TypeError && /^Cannot read properties of /.test(error.message))
  );
}
