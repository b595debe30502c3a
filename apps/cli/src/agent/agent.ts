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
import {
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type RequestOptions,
  RestTransportFactory,
  TenantTransportDecorator,
  type Transport,
} from '@a2a-js/sdk/client';
import { resumableStreamsUri, waitingUri } from '@switchyard/protocol';
import { callFailure } from '../failures/call-failure.ts';
import { Failure } from '../failures/failure.ts';
import type { CliOptions } from '../settings/options.ts';
import { authFailure } from './auth-failure.ts';
import { type Capability, type Card, type ReadCard, readCard } from './card.ts';
import { type ChosenInterface, chooseInterface, newestVersion } from './choose-interface.ts';
import { credentialsFor } from './credentials.ts';
import type { PushConfig, SendMessageResponse, StreamResponse, Task } from './objects.ts';
import type { TokenSource } from './token-source.ts';
import { redacted, wireFetch } from './wire.ts';
import { followWithToken, withToken } from './with-token.ts';

export interface CallContext {
  readonly options: CliOptions;
  /** The log of `--debug`. */
  readonly log: (line: string) => void;
  /** Aborted by a timeout or Ctrl-C, with the reason. */
  readonly signal: AbortSignal;
  /** Rejects if the credentials were not given for the origin of this URL. */
  readonly permit: (url: string) => Promise<void>;
  /** The login that is kept for the origin of this URL, unless the options have a credential. */
  readonly login: (url: string) => Promise<TokenSource | undefined>;
}

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

/**
 * The card that the options name, read without credentials: they belong to the agent, not to the server of its card.
 */
export function fetchCard({ options, log, signal }: CallContext): Promise<ReadCard> {
  const send = wireFetch({ secrets: [], log: options.debug ? log : undefined, hasCredentials: false });
  return readCard(options.agentCard, options.a2aVersion ?? newestVersion, (url, init) =>
    send(url, { ...init, signal }),
  );
}

/** The agent that the options name, over the binding that card and options determine. @throws {Failure} */
export async function connect(context: CallContext): Promise<Agent> {
  const { card } = await fetchCard(context);
  return agentOf(card, context);
}

async function agentOf(card: Card, { options, log, signal, permit, login: loginFor }: CallContext): Promise<Agent> {
  const chosenCard = options.a2aVersion?.startsWith('0.') ? modernCard(card) : card;
  const chosen = chooseInterface(chosenCard, { prefer: options.transport, version: options.a2aVersion });
  await permit(chosen.url);
  const login = await loginFor(chosen.url);
  const { headers, query, secrets } = credentialsFor(card, options);
  const parameters = Object.fromEntries(options.svcParam ?? []);
  const token = await login?.current();
  const allSecrets = [...secrets, ...Object.values(parameters), ...(token === undefined ? [] : [token])];
  const debug = options.debug ? (line: string) => log(redacted(line, allSecrets)) : undefined;
  debug?.(
    `${chosen.binding} at ${chosen.url}, A2A ${chosen.version}${chosen.tenant ? `, tenant ${chosen.tenant}` : ''}`,
  );
  const hasCredentials = secrets.length > 0 || login !== undefined;
  const fetchImpl = wireFetch({ secrets: allSecrets, log: debug, hasCredentials, query });
  const transport = await open(chosen, chosenCard, { fetchImpl, isInsecure: options.insecure, log: debug });
  return new Agent(card, chosen, {
    transport: chosen.tenant === undefined ? transport : new TenantTransportDecorator(transport, chosen.tenant),
    call: {
      signal,
      serviceParameters: { ...withEventIds(card, parameters), ...headers, 'A2A-Version': chosen.version },
    },
    hasCredentials,
    login,
    reference: options.agentCard,
  });
}

/** Requests event ids, for resuming a broken stream, if the agent supports them. */
function withEventIds(card: Card, parameters: ServiceParameters): ServiceParameters {
  return offers(card, resumableStreamsUri) ? withExtension(parameters, resumableStreamsUri) : parameters;
}

type ServiceParameters = Readonly<Record<string, string>>;

function offers({ capabilities }: Card, uri: string): boolean {
  return capabilities?.extensions?.some((extension) => extension.uri === uri) === true;
}

function withExtension(parameters: ServiceParameters, uri: string): ServiceParameters {
  const [name, named] = Object.entries(parameters).find(([key]) => key.toLowerCase() === 'a2a-extensions') ?? [];
  return { ...parameters, [name ?? 'A2A-Extensions']: named ? `${named},${uri}` : uri };
}

function withExtensionOf({ serviceParameters = {}, ...call }: RequestOptions, uri: string): RequestOptions {
  return { ...call, serviceParameters: withExtension(serviceParameters, uri) };
}

/** A card of version 0.3, in the format of 1.0. Many lack lists that the SDK requires, and that no command reads. */
function modernCard({ capabilities = {}, ...card }: Card): Card {
  const lists = { defaultInputModes: [], defaultOutputModes: [], skills: [] };
  const resolver = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } });
  const normal = resolver.normalizeAgentCard({ ...card, capabilities, ...lists });
  return JSON.parse(JSON.stringify(normal));
}

interface ConnectOptions {
  readonly fetchImpl: typeof fetch;
  readonly isInsecure: boolean;
  readonly log: ((line: string) => void) | undefined;
}

/** The SDK reads the version from the card, so it gets a card with only this interface. */
async function open(chosen: ChosenInterface, card: Card, { fetchImpl, ...grpc }: ConnectOptions): Promise<Transport> {
  const { url, binding, version } = chosen;
  const supportedInterfaces = [{ url, protocolBinding: binding, protocolVersion: version }];
  const sdkCard = SdkCard.fromJSON({ ...card, supportedInterfaces });
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  if (binding === 'JSONRPC') return new JsonRpcTransportFactory(options).create(url, sdkCard);
  if (binding === 'HTTP+JSON') return new RestTransportFactory(options).create(url, sdkCard);
  const { grpcFactory, grpcTarget, withLargeAnswers } = await import('./grpc.ts');
  return withLargeAnswers(await grpcFactory(url, grpc).create(grpcTarget(url), sdkCard), url, grpc);
}

interface Connection {
  readonly transport: Transport;
  readonly call: RequestOptions;
  readonly hasCredentials: boolean;
  readonly login: TokenSource | undefined;
  /** The agent, as the user named it. */
  readonly reference: string;
}

/** An agent, with the JSON of A2A 1.0 for any binding and version. Each call throws {Failure}. */
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

  /** @param extension that the request uses: its URI */
  send(request: unknown, extension?: string): Promise<SendMessageResponse> {
    if (extension !== undefined && !offers(this.card, extension))
      throw new Failure('UnsupportedOperationError', `The agent does not offer ${extension}`);
    return this.#ask(async ({ transport, call }) => {
      const options = this.#explainingWait(extension === undefined ? call : withExtensionOf(call, extension));
      const result = await transport.sendMessage(SendMessageRequest.fromJSON(request), options);
      return 'messageId' in result ? { message: SdkMessage.toJSON(result) } : { task: SdkTask.toJSON(result) };
    });
  }

  /** A message that is sent again, with the same id, gets the first answer. */
  get knowsMessageIds(): boolean {
    return offers(this.card, resumableStreamsUri);
  }

  stream(request: unknown): AsyncGenerator<StreamResponse> {
    return this.#follow(({ transport, call }) =>
      transport.sendMessageStream(SendMessageRequest.fromJSON(request), call),
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

  #explained(error: unknown): Failure {
    const failure = callFailure(error, this.#connection.call.signal);
    const { code, message, a2aCode, hint } = failure;
    if (hint !== undefined) return failure;
    if (code === 'A2ACLI_ERR_AUTH_FAILED' || code === 'A2ACLI_ERR_CREDENTIALS_MISSING')
      return authFailure(failure, { ...this.#connection, card: this.card });
    if (code !== 'TaskNotFoundError') return failure;
    return new Failure(code, `${message} (at the agent “${this.card.name}”, ${this.chosen.url})`, {
      a2aCode,
      hint: 'A task is found only at its own agent (-a), with the credentials that sent its message.',
      cause: error,
    });
  }
}
