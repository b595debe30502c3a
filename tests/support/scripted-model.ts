import { json } from 'node:stream/consumers';
import type { Turn } from '@switchyard/agent';
import { openAiModel } from '@switchyard/executor-openai';
import { openHttpServer } from './http-server.ts';

/** A model server that counts the tokens that it was asked for, each time other numbers. */
export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  readonly answered: readonly { readonly prompt: string; readonly input: number; readonly output: number }[];
  /** Prompts that were asked, in order. */
  readonly asked: readonly string[];
}

/** @param holds whether a request gets no answer */
export async function openScriptedModel(holds: (prompt: string) => boolean = () => false): Promise<ScriptedModel> {
  const answered: { prompt: string; input: number; output: number }[] = [];
  const asked: string[] = [];
  const server = await openHttpServer(async (req, res) => {
    const { messages } = (await json(req)) as { messages: { content: string }[] };
    const prompt = messages[0]?.content ?? '';
    asked.push(prompt);
    if (holds(prompt)) return;
    const [input, output] = [100 + 7 * asked.length, 10 + 3 * asked.length];
    answered.push({ prompt, input, output });
    res.writeHead(200, { 'content-type': 'application/json' });
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: input, completion_tokens: output };
    res.end(JSON.stringify({ model: 'scripted', choices, usage }));
  });
  return { url: server.url, answered, asked, [Symbol.asyncDispose]: server.close };
}

/** Asks the scripted model at the URL of the turn's message. */
export function askModel(turn: Turn, prompt: string): Promise<string> {
  return openAiModel({ model: 'scripted', baseURL: turn.text }).text({ prompt, signal: turn.signal });
}
