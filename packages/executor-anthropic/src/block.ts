import type {
  ContentBlock,
  ContentBlockParam,
  RawContentBlockDelta,
  TextCitation,
} from '@anthropic-ai/sdk/resources/messages';
import type { ToolCall } from '@switchyard/agent/models';

/** A block of an answer: a text, thoughts, a call of a tool, or the call or result of a tool of the provider. */
export class Block {
  #block: ContentBlock;
  /** JSON of the arguments, as far as they came in pieces. */
  #json = '';
  readonly #citations: TextCitation[];

  constructor(block: ContentBlock) {
    this.#block = block;
    this.#citations = block.type === 'text' ? [...(block.citations ?? [])] : [];
  }

  /** @returns its text, if it is one */
  add(delta: RawContentBlockDelta): string {
    if (delta.type === 'input_json_delta') this.#json += delta.partial_json;
    else if (delta.type === 'text_delta') {
      if (this.#block.type === 'text') this.#block = { ...this.#block, text: this.#block.text + delta.text };
      return delta.text;
    } else if (delta.type === 'citations_delta') this.#citations.push(delta.citation);
    else this.#block = withDelta(this.#block, delta);
    return '';
  }

  get text(): string {
    return this.#block.type === 'text' ? this.#block.text : '';
  }

  /** For a tool of the agent. */
  get call(): ToolCall | undefined {
    if (this.#block.type !== 'tool_use') return undefined;
    const { id, name, input } = this.#block;
    return { id, name, arguments: this.#json || JSON.stringify(input ?? {}) };
  }

  /** As the model gets it back; undefined: an empty text, which the API refuses. */
  get sentBack(): ContentBlockParam | undefined {
    const block = this.#block;
    if (block.type === 'text' && !block.text) return undefined;
    if (block.type === 'text' && this.#citations.length > 0)
      return { ...block, citations: this.#citations } as ContentBlockParam;
    if (!this.#json || !('input' in block)) return block as ContentBlockParam;
    return { ...block, input: parsed(this.#json) } as ContentBlockParam;
  }
}

function withDelta(block: ContentBlock, delta: RawContentBlockDelta): ContentBlock {
  if (block.type === 'thinking' && delta.type === 'thinking_delta')
    return { ...block, thinking: block.thinking + delta.thinking };
  if (block.type === 'thinking' && delta.type === 'signature_delta') return { ...block, signature: delta.signature };
  return block;
}

/** The API takes objects only: arguments that are not JSON go back in the form that its documentation gives. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return { INVALID_JSON: json };
  }
}
