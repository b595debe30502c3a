import { randomUUID } from 'node:crypto';
import { type Message, Role } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';

/** An executor as in the documentation of @a2a-js/sdk. Replace it with your own, unmodified. */
export class MyExecutor implements AgentExecutor {
  async execute({ userMessage, contextId }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    bus.publish(AgentEvent.message(reply(`Hello, ${textOf(userMessage)}!`, contextId)));
    bus.finished();
  }

  async cancelTask(): Promise<void> {
    // Nothing to cancel: a greeting ends at once.
  }
}

function reply(text: string, contextId: string): Message {
  return {
    messageId: randomUUID(),
    role: Role.ROLE_AGENT,
    parts: [{ content: { $case: 'text', value: text }, filename: '', mediaType: 'text/plain', metadata: undefined }],
    contextId,
    taskId: '',
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function textOf({ parts }: Message): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
}
