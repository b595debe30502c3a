import type { Message } from '@switchyard/protocol';
import type { Agent } from '../agent.ts';
import type { Content } from '../content.ts';
import { Conversation, type ConversationOptions, type Exchange } from './conversation.ts';

/**
 * Sends one message to an agent and runs its turn to the end, without Redis, queue or gateway:
 * `const { answer, state } = await runTurn(hello, 'Ada')`. For more than one message: `Conversation`.
 */
export function runTurn(
  agent: Agent,
  message: Content | Message,
  options: ConversationOptions = {},
): Promise<Exchange> {
  return new Conversation(agent, options).say(message);
}
