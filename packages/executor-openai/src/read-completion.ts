import { noAnswer, type SaidOfAnswer } from '@switchyard/agent/models';
import { UnavailableError } from '@switchyard/agent/runtime';
import { createParser } from 'eventsource-parser';
import { APIError } from 'openai';
import type { SentChoice } from './answer.ts';

/** A completion, or a chunk of one, as servers send it: any field may be missing or null. */
export interface SentCompletion {
  readonly id?: string;
  readonly model?: string;
  readonly usage?: SentUsage | null;
  readonly choices?: readonly (SentChoice | null)[] | null;
  readonly error?: unknown;
}

/** Tokens of a request. Not every server names all of them. */
export interface SentUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
  /** DeepSeek's name for the cached ones. */
  readonly prompt_cache_hit_tokens?: number;
}

/** What a completion, or a chunk of one, says of the answer. */
export function said({ id, model, usage, choices }: SentCompletion): SaidOfAnswer {
  return {
    id,
    model: model || undefined,
    finishReason: choices?.[0]?.finish_reason || undefined,
    inputTokens: usage?.prompt_tokens,
    outputTokens: usage?.completion_tokens,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens,
    reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens,
  };
}

/** The server says that nothing follows. */
export const done = Symbol('done');

/**
 * Reads a completion in chunks, or as a whole: some servers stream although they were not asked to, and others do not
 * although they were.
 * @throws {APIError} the server sent an error instead, also with status 200
 * @throws {RetryableError} the body is neither a completion nor a stream of events
 */
export async function* readCompletion(response: Response): AsyncGenerator<SentCompletion | typeof done> {
  const { headers, body } = response;
  if (!body) throw noAnswer();
  const type = headers.get('content-type')?.toLowerCase() ?? '';
  const isStream = type.startsWith('text/event-stream');
  const sent = isStream ? readEvents(body) : readWhole(body, type);
  for await (const { event, data } of sent) {
    if (data === '[DONE]') {
      yield done;
      return;
    }
    const completion = parsed(data, event, headers);
    if (!isStream && !Array.isArray(completion.choices)) throw otherForm(type, data);
    yield completion;
  }
}

interface Sent {
  readonly event?: string | undefined;
  readonly data: string;
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Sent> {
  const events: Sent[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for await (const text of textsOf(body)) {
    parser.feed(text);
    yield* events.splice(0);
  }
  // Some servers leave out the empty line after the last event.
  parser.feed('\n\n');
  yield* events;
}

async function* readWhole(body: ReadableStream<Uint8Array>, type: string): AsyncGenerator<Sent> {
  let data = '';
  for await (const text of textsOf(body)) data += text;
  if (!/^\s*\{/.test(data)) throw otherForm(type, data);
  yield { data };
}

/** @param body that is no completion */
function otherForm(type: string, body: string): UnavailableError {
  const cause = new Error(`${type || 'no content type'}: ${body.slice(0, 200)}`);
  return new UnavailableError('model-form', 'The model did not answer in the form of its API.', { cause });
}

/** The UTF-8 text of a body, without a byte order mark. */
async function* textsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of body) yield decoder.decode(piece, { stream: true });
}

function parsed(data: string, event: string | undefined, headers: Headers): SentCompletion {
  const value: unknown = JSON.parse(data);
  const completion: SentCompletion = typeof value === 'object' && value !== null ? value : {};
  const error = event === 'error' ? (completion.error ?? completion) : completion.error;
  if (error)
    throw new APIError(undefined, typeof error === 'object' ? error : { message: `${error}` }, undefined, headers);
  return completion;
}
