import {
  CancelTaskRequest,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  taskStateToJSON,
} from '@a2a-js/sdk';
import * as current from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { eventIdIn, resumableStreamsUri } from '@switchyard/protocol';
import type { Message as OldMessage } from 'a2a-js-sdk-v0_3';
import * as old from 'a2a-js-sdk-v0_3/client';
import { GrpcTransportFactory as OldGrpcTransportFactory } from 'a2a-js-sdk-v0_3/client/grpc';
import { userMessage } from './messages.ts';

/** What a test takes of an event, whatever binding it came by. */
export interface SeenEvent {
  /** Of docs/extensions/resumable-streams.md. */
  readonly id: string;
  /** What it adds to an artifact, or else its state: `working`. */
  readonly what: string;
  /** Of a task, the texts of its artifacts. */
  readonly text?: string;
}

export interface Told {
  readonly taskId?: string;
  readonly contextId?: string;
  /** Waits for the end of the task. */
  readonly isBlocking?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the request. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly messageMetadata?: Readonly<Record<string, unknown>>;
  /** URIs. */
  readonly extensions?: readonly string[];
}

/** One of the official clients, at one gateway. */
export interface SdkClient {
  /** @returns the id of the task */
  tell(text: string, told?: Told): Promise<string>;
  /** @returns the state of the task */
  cancel(taskId: string): Promise<string>;
  /** SubscribeToTask, with ids of events. */
  follow(taskId: string, lastEventId?: string): AsyncIterable<SeenEvent>;
}

export interface SdkBinding {
  readonly name: string;
  /** @param url of an agent, where its card is */
  at(url: string): Promise<SdkClient>;
}

// A client that may use one binding alone uses that one.
const transports = {
  JSONRPC: current.JsonRpcTransportFactory,
  'HTTP+JSON': current.RestTransportFactory,
  GRPC: GrpcTransportFactory,
};
const oldTransports = {
  JSONRPC: old.JsonRpcTransportFactory,
  'HTTP+JSON': old.RestTransportFactory,
  GRPC: OldGrpcTransportFactory,
};

const bindings = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;
type BindingName = (typeof bindings)[number];

/** The official clients of 1.0 and of 0.3, unmodified, over each of their bindings. */
export const sdkBindings: readonly SdkBinding[] = bindings.flatMap((binding) => [
  { name: `${binding} of 1.0`, at: (url) => clientAt(url, binding) },
  { name: `${binding} of 0.3`, at: (url) => oldClientAt(url, binding) },
]);

const naming = (...extensions: readonly string[]): Record<string, string> =>
  extensions.length > 0 ? { 'a2a-extensions': `${extensions}`, 'x-a2a-extensions': `${extensions}` } : {};

function following(lastEventId?: string): Record<string, string> {
  return { ...naming(resumableStreamsUri), ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
}

/** Where the protocol of a client has no other way to name an agent: gRPC of 0.3. */
function agentAt(url: string): Record<string, string> {
  const [, agent] = /\/agents\/([^/]+)$/.exec(url) ?? [];
  return agent === undefined ? {} : { 'a2a-agent': agent };
}

async function clientAt(url: string, binding: BindingName): Promise<SdkClient> {
  const client = await new current.ClientFactory({ transports: [new transports[binding]()] }).createFromUrl(`${url}/`);
  return {
    async tell(text, { headers, isBlocking = false, metadata, messageMetadata, extensions = [], ...ids }: Told = {}) {
      const configuration = { returnImmediately: !isBlocking };
      const message = { ...userMessage(text), ...ids, metadata: messageMetadata };
      const request = SendMessageRequest.fromJSON({ message, configuration, metadata });
      return taskIdOf(
        await client.sendMessage(request, { serviceParameters: { ...naming(...extensions), ...headers } }),
      );
    },
    async cancel(id) {
      const { status } = await client.cancelTask(CancelTaskRequest.fromJSON({ id }));
      return status ? taskStateToJSON(status.state) : '';
    },
    async *follow(id, lastEventId) {
      const options = { serviceParameters: following(lastEventId) };
      const events = client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }), options);
      for await (const event of events) yield toSeen(StreamResponse.toJSON(event));
    },
  };
}

async function oldClientAt(url: string, binding: BindingName): Promise<SdkClient> {
  // Of 0.3, the card of the agent at the root alone names gRPC.
  const [root = ''] = binding === 'GRPC' ? url.split('/agents/') : [url];
  const client = await new old.ClientFactory({ transports: [new oldTransports[binding]()] }).createFromUrl(`${root}/`);
  const agent = agentAt(url);
  return {
    async tell(text, { headers, isBlocking = false, metadata, messageMetadata, extensions = [], ...ids }: Told = {}) {
      const { messageId } = userMessage(text);
      const parts: OldMessage['parts'] = [{ kind: 'text', text }];
      const ofMessage = messageMetadata && { metadata: messageMetadata };
      const message: OldMessage = { kind: 'message', messageId, role: 'user', parts, ...ids, ...ofMessage };
      const params = { message, configuration: { blocking: isBlocking }, ...(metadata && { metadata }) };
      const serviceParameters = { ...naming(...extensions), ...agent, ...headers };
      return taskIdOf(await client.sendMessage(params, { serviceParameters }));
    },
    async cancel(id) {
      return (await client.cancelTask({ id }, { serviceParameters: agent })).status.state;
    },
    async *follow(id, lastEventId) {
      const options = { serviceParameters: { ...following(lastEventId), ...agent } };
      for await (const event of client.resubscribeTask({ id }, options)) yield toSeen(event);
    },
  };
}

function taskIdOf(answer: object): string {
  if (!('id' in answer)) throw new Error('the answer is a message');
  return String(answer.id);
}

/** As 1.0 has it, and 0.3 has the same names. */
interface TaskOrUpdate {
  readonly metadata?: object;
  readonly status?: { readonly state: string };
  readonly artifact?: Artifact;
  readonly artifacts?: readonly Artifact[];
}

interface Artifact {
  readonly parts: readonly { readonly text?: string }[];
}

const textIn = ({ parts }: Artifact): string => parts.map(({ text = '' }) => text).join('');

/** @param event of 1.0, where its name is its key, or of 0.3 */
export function toSeen(event: unknown): SeenEvent {
  const { task, statusUpdate, artifactUpdate } = Object(event);
  const one: TaskOrUpdate & { readonly kind?: string } = task ?? statusUpdate ?? artifactUpdate ?? event;
  const { metadata, status, artifact, artifacts = [] } = one;
  const state = status?.state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
  return {
    id: eventIdIn(metadata) ?? '',
    what: artifact ? textIn(artifact) : (state ?? ''),
    ...((task || one.kind === 'task') && { text: artifacts.map(textIn).join('') }),
  };
}
