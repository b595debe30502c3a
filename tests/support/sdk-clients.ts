import { SendMessageRequest, StreamResponse, SubscribeToTaskRequest } from '@a2a-js/sdk';
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
}

/** One of the official clients, at one gateway. */
export interface SdkClient {
  /** @returns the id of the task */
  tell(text: string, told?: Told): Promise<string>;
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

function following(lastEventId?: string): Record<string, string> {
  return {
    'a2a-extensions': resumableStreamsUri,
    'x-a2a-extensions': resumableStreamsUri,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
}

async function clientAt(url: string, binding: BindingName): Promise<SdkClient> {
  const client = await new current.ClientFactory({ transports: [new transports[binding]()] }).createFromUrl(url);
  return {
    async tell(text, { headers = {}, isBlocking = false, ...ids }: Told = {}) {
      const configuration = { returnImmediately: !isBlocking };
      const request = SendMessageRequest.fromJSON({ message: { ...userMessage(text), ...ids }, configuration });
      return taskIdOf(await client.sendMessage(request, { serviceParameters: headers }));
    },
    async *follow(id, lastEventId) {
      const options = { serviceParameters: following(lastEventId) };
      const events = client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }), options);
      for await (const event of events) yield toSeen(StreamResponse.toJSON(event));
    },
  };
}

async function oldClientAt(url: string, binding: BindingName): Promise<SdkClient> {
  const client = await new old.ClientFactory({ transports: [new oldTransports[binding]()] }).createFromUrl(url);
  return {
    async tell(text, { headers = {}, isBlocking = false, ...ids }: Told = {}) {
      const { messageId } = userMessage(text);
      const parts: OldMessage['parts'] = [{ kind: 'text', text }];
      const message: OldMessage = { kind: 'message', messageId, role: 'user', parts, ...ids };
      const configuration = { blocking: isBlocking };
      return taskIdOf(await client.sendMessage({ message, configuration }, { serviceParameters: headers }));
    },
    async *follow(id, lastEventId) {
      const options = { serviceParameters: following(lastEventId) };
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
