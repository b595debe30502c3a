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

/** The part of an event that tests compare, whatever its binding. */
export interface SeenEvent {
  /** The event id of docs/extensions/resumable-streams.md. */
  readonly id: string;
  /** The text that it adds to an artifact, otherwise its state: `working`. */
  readonly what: string;
  /** Of a task: the texts of its artifacts. */
  readonly text?: string;
}

export interface SendOptions {
  readonly taskId?: string;
  readonly contextId?: string;
  /** Waits for the end of the task. */
  readonly isBlocking?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Metadata of the request. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly messageMetadata?: Readonly<Record<string, unknown>>;
  /** URIs of the requested extensions. */
  readonly extensions?: readonly string[];
}

/** An official client at one gateway. */
export interface SdkClient {
  /** @returns the id of the task */
  send(text: string, options?: SendOptions): Promise<string>;
  /** @returns the state of the task */
  cancel(taskId: string): Promise<string>;
  /** SubscribeToTask, with event ids. */
  follow(taskId: string, lastEventId?: string): AsyncIterable<SeenEvent>;
}

export interface SdkBinding {
  readonly name: string;
  /** @param url of an agent, where its card is */
  at(url: string): Promise<SdkClient>;
}

// A client that supports only one binding uses it.
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

/** The official clients of 1.0 and 0.3, unmodified, over each of their bindings. */
export const sdkBindings: readonly SdkBinding[] = bindings.flatMap((binding) => [
  { name: `${binding} of 1.0`, at: (url) => clientAt(url, binding) },
  { name: `${binding} of 0.3`, at: (url) => oldClientAt(url, binding) },
]);

const naming = (...extensions: readonly string[]): Record<string, string> =>
  extensions.length > 0 ? { 'a2a-extensions': `${extensions}`, 'x-a2a-extensions': `${extensions}` } : {};

function following(lastEventId?: string): Record<string, string> {
  return { ...naming(resumableStreamsUri), ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
}

/** For gRPC of 0.3, which has no other way to name an agent. */
function agentAt(url: string): Record<string, string> {
  const [, agent] = /\/agents\/([^/]+)$/.exec(url) ?? [];
  return agent === undefined ? {} : { 'a2a-agent': agent };
}

async function clientAt(url: string, binding: BindingName): Promise<SdkClient> {
  const client = await new current.ClientFactory({ transports: [new transports[binding]()] }).createFromUrl(`${url}/`);
  return {
    async send(
      text,
      { headers, isBlocking = false, metadata, messageMetadata, extensions = [], ...ids }: SendOptions = {},
    ) {
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
  // In 0.3, only the card of the agent at the root names gRPC.
  const [root = ''] = binding === 'GRPC' ? url.split('/agents/') : [url];
  const client = await new old.ClientFactory({ transports: [new oldTransports[binding]()] }).createFromUrl(`${root}/`);
  const agent = agentAt(url);
  return {
    async send(
      text,
      { headers, isBlocking = false, metadata, messageMetadata, extensions = [], ...ids }: SendOptions = {},
    ) {
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

/** The names of 1.0, which are the same in 0.3. */
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

/** @param event of 1.0, where its contents are under the name of its kind, or of 0.3, where they are not */
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
