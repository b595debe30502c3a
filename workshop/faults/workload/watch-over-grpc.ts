import { setTimeout as delay } from 'node:timers/promises';
import { StreamResponse, SubscribeToTaskRequest } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials } from '@grpc/grpc-js';
import { type AgentCard, fold, isTerminal, type Task } from '@switchyard/protocol';
import { parse, streamResponseSchema } from '@switchyard/protocol/schemas';
import type { ResilientClient } from './resilient-client.ts';

const { path, requestSerialize, responseDeserialize } = A2AService.subscribeToTask;
const GIVE_UP_AFTER_MS = 90_000;

/**
 * The task as its events add up, from a snapshot to the last event. gRPC streams are not resumed: one that breaks is
 * asked for again. @returns undefined: the task had ended before that could be done
 */
export async function watchOverGrpc(client: ResilientClient, taskId: string): Promise<Task | undefined> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  while (performance.now() < deadline) {
    const task = await subscribe(client.url(), taskId).catch(() => undefined); // broken: a gateway was just killed
    if (task && isTerminal(task.status.state)) return task;
    if (isTerminal((await client.read(taskId)).status.state)) return undefined;
    await delay(100);
  }
  throw new Error(`the gRPC streams of ${taskId} never came to its end`);
}

/** As far as this stream goes. */
async function subscribe(url: string, taskId: string): Promise<Task | undefined> {
  const grpc = new Client(await addressOf(url), credentials.createInsecure());
  try {
    const request = SubscribeToTaskRequest.fromJSON({ id: taskId });
    const call = grpc.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
    let task: Task | undefined;
    for await (const message of call) {
      const event = parse(streamResponseSchema, StreamResponse.toJSON(message));
      task = event.task ?? (task && fold(task, event));
    }
    return task;
  } finally {
    grpc.close();
  }
}

/** The gRPC address of the gateway, from its card. */
async function addressOf(url: string): Promise<string> {
  const response = await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } });
  const card: AgentCard = JSON.parse(await response.text());
  const found = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === 'GRPC');
  if (!found) throw new Error('the card has no gRPC');
  return found.url.replace(/^[a-z]+:\/\//, '');
}
