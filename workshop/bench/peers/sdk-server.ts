import { randomUUID } from 'node:crypto';
import { AgentCard, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
  type TaskStore,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { Redis } from 'ioredis';
import { listen } from './listen.ts';

/**
 * The peer: the published SDK's server as its documentation sets it up, with its tasks in memory, or in the Redis whose
 * URL is its argument. Its agent does the same as agents/bench.ts. Prints its URL when it listens.
 */
const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage, task }: RequestContext, bus: ExecutionEventBus) {
    const ids = { taskId, contextId };
    const text = userMessage.parts[0]?.content?.$case === 'text' ? userMessage.parts[0].content.value : '';
    const count = Number(/^chunks (\d+)$/.exec(text)?.[1] ?? 0);
    const say = (update: object): void =>
      bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...ids, ...update })));
    if (!task)
      bus.publish(
        AgentEvent.task({
          ...Task.fromJSON({ id: taskId, contextId, status: status('SUBMITTED') }),
          history: [userMessage],
        }),
      );
    if (text.startsWith('ask')) {
      say({ status: { ...status('INPUT_REQUIRED'), message: question(text) } });
    } else {
      if (!count) say({ status: status('WORKING') });
      for (let i = 0; i < count; i++) bus.publish(AgentEvent.artifactUpdate(chunk(ids, i)));
      say({ status: status('COMPLETED') });
    }
    bus.finished();
  },
  async cancelTask() {
    throw new Error('the bench cancels nothing');
  },
};

const status = (state: string): object => ({ state: `TASK_STATE_${state}`, timestamp: new Date().toISOString() });

const question = (text: string): object => ({ messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }] });

function chunk(ids: { taskId: string; contextId: string }, i: number): TaskArtifactUpdateEvent {
  const parts = [{ text: `chunk ${i} of the bench text ` }];
  return TaskArtifactUpdateEvent.fromJSON({
    ...ids,
    artifact: { artifactId: 'chunks', name: 'Chunks', parts },
    append: i > 0,
  });
}

const card = AgentCard.fromJSON({
  name: 'Bench',
  description: 'For measurements.',
  version: '1.0.0',
  supportedInterfaces: ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
    url: 'http://127.0.0.1',
    protocolBinding,
    protocolVersion: '1.0',
  })),
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
});

/** A durable task store as users of the SDK write one: it loads and saves the whole task with each event. */
class RedisTaskStore implements TaskStore {
  readonly #redis: Redis;

  constructor(url: string) {
    this.#redis = new Redis(url);
  }

  async save(task: Task): Promise<void> {
    await this.#redis.set(`sdk:task:${task.id}`, JSON.stringify(Task.toJSON(task)));
  }

  async load(taskId: string): Promise<Task | undefined> {
    const json = await this.#redis.get(`sdk:task:${taskId}`);
    return json === null ? undefined : Task.fromJSON(JSON.parse(json));
  }

  async list(): Promise<never> {
    throw new Error('the bench lists nothing there');
  }
}

const [redisUrl] = process.argv.slice(2);
const taskStore = redisUrl === undefined ? new InMemoryTaskStore() : new RedisTaskStore(redisUrl);
const requestHandler = new DefaultRequestHandler(card, taskStore, executor);
const userBuilder = UserBuilder.noAuthentication;
const app = express();
app.use('/rest', restHandler({ requestHandler, userBuilder }));
app.use('/', jsonRpcHandler({ requestHandler, userBuilder }));
listen(app);
