import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { openHttpServer } from '../../support/http-server.ts';
import { Chance } from './chance.ts';
import { type Habits, type ModelAnswer, streamed, whole } from './model-habits.ts';
import { oddEvents, oddJson, sendOddly } from './odd-stream.ts';

interface Asked {
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_calls?: unknown;
  }[];
}

/** What the server does next. */
export interface ModelScript {
  /** One for each request; the last one for all further requests. */
  readonly answers: readonly ModelAnswer[];
  readonly habits: Habits;
  /** Sends each body in an odd form, and in odd pieces. */
  readonly oddSeed?: number;
}

/** A server with OpenAI's chat completions API, and the habits that a test gives it. */
export class ModelServer implements AsyncDisposable {
  readonly baseURL: string;
  asked: Asked[] = [];
  readonly #close: () => Promise<void>;
  readonly #scripts: { current: ModelScript };

  private constructor(baseURL: string, scripts: { current: ModelScript }, close: () => Promise<void>) {
    this.baseURL = baseURL;
    this.#scripts = scripts;
    this.#close = close;
  }

  static async start(): Promise<ModelServer> {
    const scripts: { current: ModelScript } = { current: { answers: [{ text: '' }], habits: {} } };
    const { url, close } = await openHttpServer(async (request, response) => {
      const asked = (await json(request)) as Asked;
      server.asked.push(asked);
      await answerWith(scripts.current, { request, response, asked, number: server.asked.length });
    });
    const server = new ModelServer(`${url}/v1`, scripts, close);
    return server;
  }

  follow(script: ModelScript): void {
    this.asked = [];
    this.#scripts.current = script;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly asked: Asked;
  /** 1 for the first request. */
  readonly number: number;
}

const oddities = {
  nulls: ['refusal', 'audio', 'annotations', 'function_call', 'logprobs', 'usage', 'service_tier', 'tool_calls'],
  free: ['arguments', 'timings', 'x_groq'],
};

async function answerWith(script: ModelScript, { request, response, asked, number }: Exchange): Promise<void> {
  const { answers, habits, oddSeed } = script;
  const answer = answers[Math.min(number, answers.length) - 1] ?? { text: '' };
  const chance = new Chance((oddSeed ?? 0) * 31 + number);
  const parts = asked.stream ? streamed(answer, habits, chance) : [whole(answer, habits)];
  const text = (part: object | string): string => {
    if (typeof part === 'string') return part;
    return oddSeed === undefined ? JSON.stringify(part) : oddJson(part, chance, oddities);
  };
  const type = asked.stream ? 'text/event-stream' : 'application/json';
  const events = parts.map((part) => ({ data: text(part) }));
  if (oddSeed === undefined) {
    response.writeHead(200, { 'content-type': type });
    response.end(asked.stream ? events.map(({ data }) => `data: ${data}\n\n`).join('') : events[0]?.data);
    return;
  }
  const body = asked.stream ? oddEvents(events, chance) : Buffer.from(events[0]?.data ?? '');
  await sendOddly({ request, response }, { body, type }, chance);
}
