import type { AgentCard, Message, Part, TaskState } from 'a2a-js-sdk-v0_3';
import {
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from 'a2a-js-sdk-v0_3/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from 'a2a-js-sdk-v0_3/server/express';
import express from 'express';

// An agent of @a2a-js/sdk 0.3, as its users write it: `agent.ts <port>`. The text of a message says what it does.

const [port] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}`;

const said = (text: string): Part => ({ kind: 'text', text });

function message({ taskId, contextId }: RequestContext, text: string): Message {
  const ids = { messageId: crypto.randomUUID(), taskId, contextId };
  return { kind: 'message', ...ids, role: 'agent', parts: [said(text)] };
}

class Executor implements AgentExecutor {
  readonly #waiting = new Map<string, { stop: () => void; contextId: string }>();

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, contextId, userMessage } = context;
    const wish = userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    const state = (state: TaskState, final: boolean, text?: string): void => {
      const status = { state, ...(text && { message: message(context, text) }), timestamp: new Date().toISOString() };
      bus.publish({ kind: 'status-update', taskId, contextId, status, final });
    };
    const artifact = (part: Part, append: boolean, lastChunk: boolean): void =>
      bus.publish({
        kind: 'artifact-update',
        taskId,
        contextId,
        artifact: { artifactId: 'a', parts: [part] },
        append,
        lastChunk,
      });
    if (wish === 'reply') {
      bus.publish(message(context, 'Just a message'));
      return bus.finished();
    }
    if (!context.task)
      bus.publish({ kind: 'task', id: taskId, contextId, status: { state: 'submitted' }, history: [userMessage] });
    state('working', false);
    if (wish === 'chunks')
      for (const [index, text] of ['Two ', 'pizzas ', '🍕🍕'].entries()) artifact(said(text), index > 0, index === 2);
    if (wish === 'file')
      artifact(
        { kind: 'file', file: { bytes: 'AAH/', name: 'a.bin', mimeType: 'application/octet-stream' } },
        false,
        true,
      );
    if (wish === 'boom') throw new Error('The oven is cold');
    if (wish === 'wait') await new Promise<void>((stop) => this.#waiting.set(taskId, { stop, contextId }));
    else if (wish === 'ask') state('input-required', true, 'Which size?');
    else state('completed', true, 'Done');
    bus.finished();
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    const { stop, contextId = '' } = this.#waiting.get(taskId) ?? {};
    const status = { state: 'canceled' as const, timestamp: new Date().toISOString() };
    bus.publish({ kind: 'status-update', taskId, contextId, status, final: true });
    stop?.();
  }
}

const card: AgentCard = {
  name: 'JavaScript',
  description: 'An agent of @a2a-js/sdk.',
  version: '1',
  protocolVersion: '0.3.0',
  url: `${url}/rpc`,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: `${url}/rpc`, transport: 'JSONRPC' },
    { url: `${url}/rest`, transport: 'HTTP+JSON' },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Executor());
const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rpc', jsonRpcHandler(options));
app.use('/rest', restHandler(options));
app.listen(Number(port), '127.0.0.1');
