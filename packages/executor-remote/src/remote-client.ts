import { SendMessageRequest as SdkSendMessageRequest, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
} from '@a2a-js/sdk/client';
import type { Turn } from '@switchyard/agent';
import { AgentError, RetryableError } from '@switchyard/agent';
import { readSdkEvent, readSdkMessage, readSdkTask } from '@switchyard/executor-sdk';
import {
  type AgentCard,
  cascadingCancelUri,
  eventIdIn,
  resumableStreamsUri,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  traceContextUri,
} from '@switchyard/protocol';
import { hasAppendMark, withoutAppendMark } from './answers/append-mark.ts';
import { RemoteError } from './answers/remote-error.ts';
import { learnTokenUrl } from './auth/tokens-of.ts';
import { type RemoteCard, readCard, sdkCard } from './remote-card.ts';
import { answeringFetch, maxAnswerBytes, remoteFetch } from './remote-fetch.ts';
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

/**
 * How many times `idleTimeoutMs` a message may wait for its first answer, and a stream without events: an agent may
 * answer only when its work is done, and a message cannot be repeated safely.
 */
const patience = 10;

/** Longest delay of a timer. */
const longestMs = 2 ** 31 - 1;

interface Clients {
  readonly sender: Client;
  readonly reader: Client;
}

/** A client of the remote agent. Every method throws `RemoteError`, or the reason of the signal. */
export class RemoteClient {
  readonly #sender: Client;
  readonly #reader: Client;
  readonly #settings: FullRemoteSettings;
  readonly #extensions: readonly string[];
  /** Whether the agent's card declares streaming. */
  readonly canStream: boolean;

  private constructor(clients: Clients, { capabilities }: AgentCard, settings: FullRemoteSettings) {
    const offered = new Set(capabilities.extensions?.map(({ uri }) => uri));
    this.#sender = clients.sender;
    this.#reader = clients.reader;
    this.canStream = capabilities.streaming === true;
    this.#extensions = usedExtensions.filter((uri) => offered.has(uri));
    this.#settings = settings;
  }

  static async open(settings: FullRemoteSettings): Promise<RemoteClient> {
    try {
      const card = await readCard(settings);
      learnTokenUrl(settings, card.card);
      const sender = await clientFor(card, settings, 'message');
      return new RemoteClient({ sender, reader: await clientFor(card, settings, 'read') }, card.card, settings);
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
      yield* this.#stream(call, (options) => this.#sender.sendMessageStream(sent, options));
      return;
    }
    yield await this.#ask(call, async (options) => {
      const answer = await this.#sender.sendMessage(sent, options);
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
      return this.#reader.resubscribeTask({ tenant: '', id }, options);
    });
  }

  get(id: string, call: Call): Promise<Task> {
    const request = { tenant: '', id, historyLength: undefined };
    return this.#ask(call, async (options) => readSdkTask(await this.#reader.getTask(request, options)));
  }

  cancel(id: string, call: Call): Promise<Task> {
    const request = { tenant: '', id, metadata: undefined };
    return this.#ask(call, async (options) => readSdkTask(await this.#reader.cancelTask(request, options)));
  }

  /** The id of the task that a message created, as far as the agent lists its tasks. */
  async find(messageId: string, call: Call): Promise<string | undefined> {
    const page = { tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageSize: 50, pageToken: '' };
    const filter = { historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: false };
    const { tasks } = await this.#ask(call, (options) => this.#reader.listTasks({ ...page, ...filter }, options));
    return tasks.find(({ history }) => history?.some((message) => message.messageId === messageId))?.id;
  }

  async #ask<T>(call: Call, ask: (options: Options) => Promise<T>): Promise<T> {
    try {
      return await ask(await this.#options(call));
    } catch (error) {
      call.signal.throwIfAborted();
      throw failure(error);
    }
  }

  async *#stream(
    call: Call,
    open: (options: Options) => AsyncGenerator<Parameters<typeof readSdkEvent>[0], void, undefined>,
  ): AsyncGenerator<RemoteEvent, void, undefined> {
    try {
      for await (const event of open(await this.#options(call)))
        if (event.payload) yield identified(readSdkEvent(event));
    } catch (error) {
      call.signal.throwIfAborted();
      throw failure(error);
    }
  }

  async #options({ turn, signal }: Call): Promise<Options> {
    const headers = await this.#headers(turn);
    const extensions = new Set([...turn.extensions, ...this.#extensions]);
    const serviceParameters = ServiceParameters.createFrom(headers, withA2AExtensions(...extensions));
    return { signal, serviceParameters: extensions.size > 0 ? serviceParameters : { ...headers } };
  }

  async #headers(turn: Turn): Promise<Readonly<Record<string, string>>> {
    try {
      return await headersFor(this.#settings, turn);
    } catch (cause) {
      if (isMeant(cause)) throw cause;
      throw new RemoteError('unreachable', 'its headers could not be made', { cause, mayHaveArrived: false });
    }
  }
}

/** An error that the author of the settings' `headers` throws for the turn. */
function isMeant(error: unknown): boolean {
  return error instanceof AgentError || error instanceof RetryableError;
}

function failure(error: unknown): unknown {
  return isMeant(error) ? error : RemoteError.from(error);
}

/** A client for messages, or for requests that only read, which may be repeated. */
function clientFor(card: RemoteCard, settings: FullRemoteSettings, use: 'message' | 'read'): Promise<Client> {
  const { idleTimeoutMs: idleMs, requestTimeoutMs } = settings;
  const silenceMs = Math.min(idleMs * patience, longestMs);
  const waitMs = use === 'message' ? Math.max(silenceMs, requestTimeoutMs) : requestTimeoutMs;
  const send = remoteFetch(settings, { timeoutMs: Math.max(waitMs, idleMs), maxBytes: maxAnswerBytes });
  const limits = { idleMs, silenceMs, firstMs: use === 'message' ? silenceMs : idleMs, maxBytes: maxAnswerBytes };
  const options = { fetchImpl: answeringFetch(send, card.chosen, limits), legacyCompat: { enabled: true } };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
  });
  return factory.createFromAgentCard(sdkCard(card));
}

interface Options {
  readonly signal: AbortSignal;
  readonly serviceParameters: Record<string, string>;
}

/** Removes the event id from the event's metadata, because it would be wrong in the mirrored task. */
function identified(event: StreamResponse): RemoteEvent {
  const named = event.task ?? event.statusUpdate ?? event.artifactUpdate;
  if (!named?.metadata) return { event };
  const { [resumableStreamsUri]: _, ...metadata } = withoutAppendMark(named.metadata);
  const eventId = eventIdIn(named.metadata);
  if (event.artifactUpdate && hasAppendMark(named.metadata)) event.artifactUpdate.append = true;
  if (Object.keys(metadata).length > 0) named.metadata = metadata;
  else delete named.metadata;
  return { event, eventId };
}
