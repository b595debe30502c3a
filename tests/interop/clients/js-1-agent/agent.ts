import { AgentCard, type Message, Part, Role, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';

// An agent of @a2a-js/sdk 1.x, as its users write it: `agent.ts <port> <version>`. The text of a message says what it
// does.

const [port, version = '1.0'] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;

const said = (text: string): Part => Part.fromJSON({ text });

function message({ taskId, contextId }: RequestContext, text: string): Message {
  const ids = { messageId: crypto.randomUUID(), taskId, contextId };
  return { ...ids, role: Role.ROLE_AGENT, parts: [said(text)], extensions: [], metadata: {}, referenceTaskIds: [] };
}

class Executor implements AgentExecutor {
  readonly #waiting = new Map<string, { stop: () => void; contextId: string }>();

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, contextId, userMessage } = context;
    const wish = userMessage.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
    const state = (state: TaskState, text?: string): void => {
      const status = { state, message: text ? message(context, text) : undefined, timestamp: new Date().toISOString() };
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    };
    const artifact = (part: Part, append: boolean, lastChunk: boolean): void => {
      const unused = { name: '', description: '', metadata: undefined, extensions: [] };
      const artifact = { artifactId: 'a', parts: [part], ...unused };
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }));
    };
    if (wish === 'reply') return bus.publish(AgentEvent.message(message(context, 'Just a message')));
    if (!context.task) {
      const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined };
      bus.publish(
        AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined }),
      );
    }
    state(TaskState.TASK_STATE_WORKING);
    if (wish === 'chunks')
      for (const [index, text] of ['Two ', 'pizzas ', '🍕🍕'].entries()) artifact(said(text), index > 0, index === 2);
    if (wish === 'file')
      artifact(Part.fromJSON({ raw: 'AAH/', filename: 'a.bin', mediaType: 'application/octet-stream' }), false, true);
    if (wish === 'boom') throw new Error('The oven is cold');
    if (wish === 'ask') return state(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which size?');
    if (wish === 'wait') return new Promise((stop) => this.#waiting.set(taskId, { stop, contextId }));
    state(TaskState.TASK_STATE_COMPLETED, 'Done');
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    const { stop, contextId = '' } = this.#waiting.get(taskId) ?? {};
    const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    stop?.();
  }
}

const requestHandler = new DefaultRequestHandler(
  AgentCard.fromJSON({
    name: 'JavaScript',
    description: 'An agent of @a2a-js/sdk.',
    version: '1',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }],
    supportedInterfaces: [
      { url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: version },
      { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: version },
    ],
  }),
  new InMemoryTaskStore(),
  new Executor(),
);
const legacyCompat = { enabled: version === '0.3' };
const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat };
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
app.use('/rpc', express.json(), jsonRpcHandler(options));
app.use('/rest', restHandler(options));
app.listen(Number(port), '127.0.0.1');
