import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Turn } from '@switchyard/agent';
import type { CallableModel } from '@switchyard/agent/models';
import { openAiModel } from '@switchyard/executor-openai';
import { openHttpServer } from './http-server.ts';

/** A model server that counts the tokens that it was asked for, each time other numbers. */
export interface ScriptedModel extends AsyncDisposable {
  /** With OpenAI's API. */
  readonly url: string;
  readonly answered: readonly { readonly prompt: string; readonly input: number; readonly output: number }[];
  /** Prompts that were asked, in order. */
  readonly asked: readonly string[];
}

/** What follows the server's URL for the same model with Anthropic's API, or by the Vercel AI SDK. */
export const anthropicPath = '/anthropic';
export const aiPath = '/ai';

/** @param holds whether a request gets no answer */
export async function openScriptedModel(holds: (prompt: string) => boolean = () => false): Promise<ScriptedModel> {
  const answered: { prompt: string; input: number; output: number }[] = [];
  const asked: string[] = [];
  const server = await openHttpServer(async (req, res) => {
    const { messages, stream } = (await json(req)) as { messages: { content: string }[]; stream?: boolean };
    const prompt = messages[0]?.content ?? '';
    asked.push(prompt);
    if (holds(prompt)) return;
    const [input, output] = [100 + 7 * asked.length, 10 + 3 * asked.length];
    answered.push({ prompt, input, output });
    if (req.url?.startsWith(anthropicPath)) answerAsAnthropic(res, input, output);
    else answerAsOpenAi(res, { input, output, stream });
  });
  return { url: server.url, answered, asked, [Symbol.asyncDispose]: server.close };
}

interface OpenAiAnswer {
  readonly input: number;
  readonly output: number;
  readonly stream?: boolean | undefined;
}

function answerAsOpenAi(res: ServerResponse, { input, output, stream = false }: OpenAiAnswer): void {
  const said = { role: 'assistant', content: 'Yes.' };
  const choices = [{ index: 0, [stream ? 'delta' : 'message']: said, finish_reason: 'stop' }];
  const usage = { prompt_tokens: input, completion_tokens: output };
  const body = JSON.stringify({ model: 'scripted', choices, usage });
  res.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  res.end(stream ? `data: ${body}\n\ndata: [DONE]\n\n` : body);
}

function answerAsAnthropic(res: ServerResponse, input: number, output: number): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const usage = { input_tokens: input - 20, cache_creation_input_tokens: 20, output_tokens: 1 };
  const events = [
    { type: 'message_start', message: { id: '1', model: 'scripted', content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes.' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } },
    { type: 'message_stop' },
  ];
  res.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

/** Asks the scripted model at the URL of the turn's message, by its API. */
export async function askModel({ text: baseURL, signal }: Turn, prompt: string): Promise<string> {
  return (await modelAt(baseURL)).text({ prompt, signal });
}

async function modelAt(baseURL: string): Promise<Pick<CallableModel<never>, 'text'>> {
  if (baseURL.endsWith(anthropicPath)) {
    const { anthropicModel } = await import('@switchyard/executor-anthropic');
    return anthropicModel({ model: 'scripted', baseURL });
  }
  if (baseURL.endsWith(aiPath)) {
    const { aiModel } = await import('@switchyard/executor-ai');
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return aiModel({ model: createOpenAICompatible({ name: 'scripted', baseURL, includeUsage: true })('scripted') });
  }
  return openAiModel({ model: 'scripted', baseURL });
}
