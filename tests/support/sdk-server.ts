import { AgentCard, Message as SdkMessage, Task as SdkTask, SendMessageRequest } from '@a2a-js/sdk';
import { type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore, ServerCallContext } from '@a2a-js/sdk/server';
import type { Message, Task } from '@switchyard/protocol';

const card = AgentCard.fromJSON({ name: 'S', description: 'S', version: '1', capabilities: { streaming: true } });

/** The SDK's own server, without transports: what it makes of an executor. */
export class SdkServer {
  readonly #context = new ServerCallContext({ requestedVersion: '1.0' });
  readonly #handler: DefaultRequestHandler;
  #task: Task | undefined;

  constructor(executor: AgentExecutor) {
    this.#handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  }

  /** Sends a message, for the task if one is given, and waits for the answer. */
  async say(words: string): Promise<{ task?: Task; message?: Message }> {
    const ids = this.#task && { taskId: this.#task.id, contextId: this.#task.contextId };
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: words }], ...ids };
    const result = await this.#handler.sendMessage(SendMessageRequest.fromJSON({ message }), this.#context);
    if ('messageId' in result) return { message: asJson(SdkMessage.toJSON(result)) };
    this.#task = asJson<Task>(SdkTask.toJSON(result));
    return { task: this.#task };
  }
}

/** The SDK's JSON is only compared, so its type is not checked. */
function asJson<T>(value: unknown): T {
  return JSON.parse(JSON.stringify(value));
}
