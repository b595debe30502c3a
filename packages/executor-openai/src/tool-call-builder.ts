import type { ToolCall } from '@switchyard/agent/models';

export interface OpenAiToolCall extends ToolCall {
  /** Of the server, which expects it back with the call: Gemini puts the signature of its thoughts there. */
  readonly extra_content?: unknown;
}

/** A tool call, or a piece of one, as servers send it: any field may be missing, null or empty. */
export interface CallPiece {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  readonly extra_content?: unknown;
}

interface Draft {
  id: string;
  name: string;
  arguments: string;
  readonly json: JsonEnd;
  extra_content?: unknown;
}

/**
 * Joins the pieces of tool calls. By OpenAI's API a call has an index, and its first piece has the id and the name.
 * Other servers give all calls the index 0 or none, no ids, or repeat the name with each piece (docs/models.md).
 */
export class ToolCallBuilder {
  readonly #drafts: Draft[] = [];
  /** The last one with each index. */
  readonly #lastAt = new Map<number | undefined, Draft>();

  get isEmpty(): boolean {
    return this.#drafts.length === 0;
  }

  /** @param pieces those of one chunk: without an index, each that has a name is another call */
  add(pieces: readonly (CallPiece | null)[]): void {
    pieces.forEach((piece, at) => {
      if (piece) this.#addPiece(piece, at > 0);
    });
  }

  build(): OpenAiToolCall[] {
    return this.#drafts.map(({ json: _, ...call }, at) => ({ ...call, id: call.id || `call-${at + 1}` }));
  }

  #addPiece(piece: CallPiece, isLater: boolean): void {
    const index = typeof piece.index === 'number' ? piece.index : undefined;
    const [id, name] = [textOf(piece.id), textOf(piece.function?.name)];
    const args = argumentsOf(piece.function?.arguments);
    const last = this.#lastAt.get(index);
    const isOther = !last || (name !== '' && ((isLater && index === undefined) || isOtherCall(last, id, args)));
    const draft = isOther ? this.#begin(index) : last;
    draft.id ||= id;
    draft.name = joinedName(draft.name, name);
    if (name === '' || args !== draft.arguments) {
      draft.arguments += args;
      draft.json.add(args);
    }
    if (piece.extra_content !== undefined && piece.extra_content !== null) draft.extra_content = piece.extra_content;
  }

  #begin(index: number | undefined): Draft {
    const draft: Draft = { id: '', name: '', arguments: '', json: new JsonEnd() };
    this.#drafts.push(draft);
    this.#lastAt.set(index, draft);
    return draft;
  }
}

/** Whether a piece with a name begins another call than the last one with its index. */
function isOtherCall(last: Draft, id: string, args: string): boolean {
  if (last.name === '') return false;
  if (id && last.id) return id !== last.id;
  return args !== '' && args !== last.arguments && last.json.isReached;
}

/** A name comes whole, in pieces, or whole with each piece of the arguments. */
function joinedName(before: string, piece: string): string {
  return piece.startsWith(before) ? piece : before + piece;
}

/** Some servers send the arguments as an object instead of its JSON. */
function argumentsOf(sent: unknown): string {
  if (sent === undefined || sent === null) return '';
  return typeof sent === 'string' ? sent : JSON.stringify(sent);
}

function textOf(sent: unknown): string {
  return typeof sent === 'string' ? sent : '';
}

/** Finds the end of a JSON object that comes in pieces. */
class JsonEnd {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isReached = false;

  get isReached(): boolean {
    return this.#isReached;
  }

  add(piece: string): void {
    for (const character of piece) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) this.#readString(character);
      else this.#readToken(character);
    }
  }

  #readString(character: string): void {
    this.#isEscaped = character === '\\';
    this.#isInString = character !== '"';
  }

  #readToken(character: string): void {
    if (character === '"') this.#isInString = true;
    if (character === '{' || character === '[') this.#depth++;
    if (character === '}' || character === ']') this.#isReached = --this.#depth === 0;
  }
}
