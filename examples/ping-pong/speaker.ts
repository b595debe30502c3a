import { AgentError, endOfConversation } from '@switchyard/agent';
import OpenAI from 'openai';
import { modelFromEnvironment } from './config.ts';

/** A line of the conversation, by the speaker or by the other agent. */
export interface Line {
  readonly isOwn: boolean;
  readonly text: string;
}

/** The speaker's next line. */
export type Speak = (lines: readonly Line[], signal: AbortSignal) => Promise<string>;

/** A speaker that follows a script, or uses a model if the environment has one. */
export function speaker(persona: string, script: readonly string[]): Speak {
  return modelFromEnvironment ? played(persona, modelFromEnvironment) : scripted(script);
}

function scripted(script: readonly string[]): Speak {
  return async (lines) => script[lines.filter(({ isOwn }) => isOwn).length] ?? endOfConversation;
}

function played(persona: string, { model, ...connection }: NonNullable<typeof modelFromEnvironment>): Speak {
  const client = new OpenAI({ ...connection, maxRetries: 2, logLevel: 'off' });
  const system = `${persona} Answer in one sentence. When there is nothing left to say, answer ${endOfConversation} and nothing else.`;
  return async (lines, signal) => {
    const messages = lines.map(({ isOwn, text }) => ({ role: isOwn ? 'assistant' : 'user', content: text }) as const);
    const request = { model, messages: [{ role: 'system', content: system } as const, ...messages] };
    const { choices } = await client.chat.completions.create(request, { signal });
    const text = choices[0]?.message.content;
    if (!text) throw new AgentError('The model had no answer.');
    return text;
  };
}
