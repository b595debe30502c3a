import {
  type AgentCapabilities,
  type AgentCard as SdkAgentCard,
  SendMessageRequest as SdkSendMessageRequest,
  TaskState,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
} from '@a2a-js/sdk/client';
import type { Turn } from '@switchyard/agent';
import { IdleTimeout } from '@switchyard/agent';
import { readSdkEvent, readSdkMessage, readSdkTask } from '@switchyard/executor-sdk';
import {
  cascadingCancelUri,
  eventIdIn,
  resumableStreamsUri,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  traceContextUri,
} from '@switchyard/protocol';
import { sdkCardOf } from './remote-card.ts';
import { RemoteError } from './remote-error.ts';
import { maxAnswerBytes, remoteFetch } from './remote-fetch.ts';
import { type FullRemoteSettings, headersFor } from './settings.ts';

/** Extensions that a turn uses where the remote agent offers them, whether or not its client requested them. */
const usedExtensions = [cascadingCancelUri, resumableStreamsUri, traceContextUri];

/** The turn of a request, and its signal. */
export interface Call {
  readonly turn: Turn;
  readonly signal: AbortSignal;
}

/** An event, and its id if the agent's events have ids: then its stream can be resumed after it. */
export interface RemoteEvent {
  readonly event: StreamResponse;
  readonly eventId?: string | undefined;
}

/** A client of the remote agent. Every method throws `RemoteError`, or the reason of the signal. */
export class RemoteClient {
  readonly #client: Client;
  readonly #settings: FullRemoteSettings;
  readonly #extensions: readonly string[];
  /** Whether the agent's card declares streaming. */
  readonly canStream: boolean;

  private constructor(client: Client, { capabilities }: SdkAgentCard, settings: FullRemoteSettings) {
    // Cards of other servers may lack fields that the SDK's type requires.
    const { extensions }: Partial<AgentCapabilities> = capabilities ?? {};
    const offered = new Set(extensions?.map(({ uri }) => uri));
    this.#client = client;
    this.canStream = capabilities?.streaming === true;
    this.#extensions = usedExtensions.filter((uri) => offered.has(uri));
    this.#settings = settings;
  }

  static async open(settings: FullRemoteSettings): Promise<RemoteClient> {
    const timeoutMs = Math.max(settings.requestTimeoutMs, settings.idleTimeoutMs);
    const fetchImpl = remoteFetch(settings, { timeoutMs, maxBytes: maxAnswerBytes });
    const options = { fetchImpl, legacyCompat: { enabled: true } };
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
      ...(settings.binding && { preferredTransports: [settings.binding] }),
    });
    try {
      const card = await sdkCardOf(settings);
      const client = await factory.createFromAgentCard(card);
      return new RemoteClient(client, card, settings);
    } catch (error) {
      throw RemoteError.from(error);
    }
  }

  /** Sends a message. Yields the events of the stream or, without streaming, the one response. */
  async *send(
    request: SendMessageRequest,
    call: Call & { readonly canStream: boolean },
  ): AsyncGenerator<RemoteEvent, void, undefined> {
    const configuration = { ...request.configuration, returnImmediately: !call.canStream };
    const sent = SdkSendMessageRequest.fromJSON({ ...request, configuration });
    if (call.canStream) {
      yield* this.#stream(call, (options) => this.#client.sendMessageStream(sent, options));
      return;
    }
    yield await this.#ask(call, async (options) => {
      const answer = await this.#client.sendMessage(sent, options);
      const event = 'messageId' in answer ? { message: readSdkMessage(answer) } : { task: readSdkTask(answer) };
      return { event };
    });
  }

  /**
   * The events of a task from now on, or after an event. Ends when no more follow, or after a time without an event.
   * @param lastEventId id of the last event that was received
   */
  subscribe(id: string, call: Call, lastEventId?: string): AsyncGenerator<RemoteEvent, void, undefined> {
    return this.#stream(call, ({ signal, serviceParameters }) => {
      const after = lastEventId !== undefined && { 'Last-Event-ID': lastEventId };
      const options = { signal, serviceParameters: { ...serviceParameters, ...after } };
      return this.#client.resubscribeTask({ tenant: '', id }, options);
    });
  }

  get(id: string, call: Call): Promise<Task> {
    const request = { tenant: '', id, historyLength: undefined };
    return this.#ask(call, async (options) => readSdkTask(await this.#client.getTask(request, options)));
  }

  cancel(id: string, call: Call): Promise<Task> {
    const request = { tenant: '', id, metadata: undefined };
    return this.#ask(call, async (options) => readSdkTask(await this.#client.cancelTask(request, options)));
  }

  /** The id of the task that a message created, as far as the agent lists its tasks. */
  async find(messageId: string, call: Call): Promise<string | undefined> {
    const page = { tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageSize: 50, pageToken: '' };
    const filter = { historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: false };
    const { tasks } = await this.#ask(call, (options) => this.#client.listTasks({ ...page, ...filter }, options));
    return tasks.find(({ history }) => history?.some((message) => message.messageId === messageId))?.id;
  }

  async #ask<T>(call: Call, ask: (options: Options) => Promise<T>): Promise<T> {
    const timeout = AbortSignal.timeout(this.#settings.requestTimeoutMs);
    try {
      return await ask(await this.#options({ ...call, signal: AbortSignal.any([call.signal, timeout]) }));
    } catch (error) {
      call.signal.throwIfAborted();
      throw RemoteError.from(error);
    }
  }

  async *#stream(
    call: Call,
    open: (options: Options) => AsyncGenerator<Parameters<typeof readSdkEvent>[0], void, undefined>,
  ): AsyncGenerator<RemoteEvent, void, undefined> {
    using idle = new IdleTimeout(call.signal, this.#settings.idleTimeoutMs);
    try {
      for await (const event of open(await this.#options({ ...call, signal: idle.signal }))) {
        idle.restart();
        yield identified(readSdkEvent(event));
      }
    } catch (error) {
      call.signal.throwIfAborted();
      if (!idle.isExpired) throw RemoteError.from(error);
    }
  }

  async #options({ turn, signal }: Call): Promise<Options> {
    const headers = await headersFor(this.#settings, turn);
    const extensions = new Set([...turn.extensions, ...this.#extensions]);
    const serviceParameters = ServiceParameters.createFrom(headers, withA2AExtensions(...extensions));
    return { signal, serviceParameters: extensions.size > 0 ? serviceParameters : { ...headers } };
  }
}

interface Options {
  readonly signal: AbortSignal;
  readonly serviceParameters: Record<string, string>;
}

/** Removes the event id from the event's metadata, because it would be wrong in the mirrored task. */
function identified(event: StreamResponse): RemoteEvent {
  const named = event.task ?? event.statusUpdate ?? event.artifactUpdate;
  if (!named?.metadata) return { event };
  const { [resumableStreamsUri]: _, ...metadata } = named.metadata;
  const eventId = eventIdIn(named.metadata);
  if (Object.keys(metadata).length > 0) named.metadata = metadata;
  else delete named.metadata;
  return { event, eventId };
}
