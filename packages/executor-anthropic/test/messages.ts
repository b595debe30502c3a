import type { ServerResponse } from 'node:http';
import type { Script } from '../../../tests/support/model-endpoint.ts';

/** A block of an answer, with the pieces in which it comes. */
export interface SentBlock {
  readonly block: Readonly<Record<string, unknown>>;
  readonly deltas?: readonly Readonly<Record<string, unknown>>[];
}

export const usage = { input_tokens: 12, cache_read_input_tokens: 8, cache_creation_input_tokens: 3, output_tokens: 1 };

/** Streams an answer of Anthropic's Messages API. */
export function answers(blocks: readonly SentBlock[], reason: string | null = 'end_turn', end: object = {}): Script {
  return (response) => {
    begin(response, blocks);
    send(response, {
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null, ...end },
      usage: { output_tokens: 5, output_tokens_details: { thinking_tokens: 2 } },
    });
    send(response, { type: 'message_stop' });
    response.end();
  };
}

/** Streams texts, each in one block. */
export function says(chunks: readonly string[], reason?: string): Script {
  return answers([text(...chunks)], reason);
}

/** Begins an answer, and leaves it open. */
export function begin(response: ServerResponse, blocks: readonly SentBlock[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
  send(response, {
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm-1', content: [], stop_reason: null, usage },
  });
  send(response, { type: 'ping' });
  blocks.forEach(({ block, deltas = [] }, index) => {
    send(response, { type: 'content_block_start', index, content_block: block });
    for (const delta of deltas) send(response, { type: 'content_block_delta', index, delta });
    send(response, { type: 'content_block_stop', index });
  });
}

export function send(
  response: ServerResponse,
  event: { readonly type: string; readonly [field: string]: unknown },
): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

export function text(...chunks: readonly string[]): SentBlock {
  return { block: { type: 'text', text: '' }, deltas: chunks.map((each) => ({ type: 'text_delta', text: each })) };
}

/** A call whose arguments come in two pieces. */
export function calls(id: string, name: string, json: string): SentBlock {
  const pieces = ['', json.slice(0, 3), json.slice(3)];
  return {
    block: { type: 'tool_use', id, name, input: {} },
    deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  };
}

export const thoughts: SentBlock = {
  block: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    { type: 'thinking_delta', thinking: 'A pizza, ' },
    { type: 'thinking_delta', thinking: 'then.' },
    { type: 'signature_delta', signature: 'signed' },
  ],
};
export const redacted: SentBlock = { block: { type: 'redacted_thinking', data: 'secret' } };
