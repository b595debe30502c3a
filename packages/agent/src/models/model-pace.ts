import { hash } from 'node:crypto';
import { checkBudget } from '../journal/note-model-call.ts';
import { waitForRoom } from '../journal/wait-for-room.ts';
import type { Room } from '../pace/turn-pace.ts';
import { type ModelProblem, pauseAskedFor } from './model-error.ts';
import { spentFor } from './rate-headers.ts';

/** What a file or a picture counts, in tokens, before its server says it. */
const TOKENS_OF_FILE = 1_000;
/** Pauses after refusals that name no time: each is twice the one before. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 30_000];
/** Limits that are full again only later than this have room before. */
const MAX_SPENT_MS = 60_000;

/** What a request consists of, for an estimate of its tokens. */
export interface PacedRequest {
  readonly messages: readonly unknown[];
  readonly tools?: readonly unknown[] | undefined;
  readonly format?: unknown;
}

interface Account {
  readonly model: string;
  readonly host: string;
  /** Unset: not known. */
  readonly apiKey?: string | undefined;
}

/**
 * Keeps the pace of a model's provider, over all workers if a worker runs the turn, and the budget of the turn.
 *
 *     const pace = new ModelPace({ model: 'large', host: 'api.example' });
 *     const room = await pace.enter({ messages: [turn.text] });
 *     const response = await fetch('https://api.example/large', { signal: turn.signal });
 *     pace.answered(response.headers, room);
 *     pace.used({ input: 12, output: 96 }, room);
 */
export class ModelPace {
  readonly #name: string;
  readonly #account: string | undefined;
  /** Of an answer, on average. */
  #answerTokens = 500;

  constructor({ model, host, apiKey }: Account) {
    this.#name = `${host}/${model}`;
    this.#account = apiKey === undefined ? undefined : hash('sha256', apiKey).slice(0, 8);
  }

  /**
   * Waits until there is room for the request, and checks the budget.
   * @throws {BudgetSpent}
   * @throws what `waitForRoom` throws
   */
  async enter(request: PacedRequest): Promise<Room | undefined> {
    const tokens = Math.ceil(textTokens(request) + this.#answerTokens);
    const account = this.#account;
    const room = await waitForRoom({ name: this.#name, ...(account !== undefined && { account }), tokens });
    await checkBudget().catch(async (error) => {
      await room?.used(0);
      throw error;
    });
    return room;
  }

  /** The server has answered: if nothing is left of its limits, everybody waits. */
  answered(headers: Headers, room: Room | undefined): void {
    const ms = spentFor(headers);
    if (ms !== undefined) room?.slowDown(Math.min(ms, MAX_SPENT_MS));
  }

  /** What the request has used; undefined: the server did not say. */
  used(tokens: { readonly input: number; readonly output: number } | undefined, room: Room | undefined): void {
    if (!tokens) return;
    this.#answerTokens = this.#answerTokens * 0.8 + tokens.output * 0.2;
    room?.used(tokens.input + tokens.output);
  }

  /**
   * Whether the problem says that the provider has too much to do, and the request may be sent again when there is room:
   * the pause counts for everybody. Without a worker it is for the queue to wait.
   * @param tries of this request before
   */
  async slowsDown(problem: ModelProblem | undefined, room: Room | undefined, tries: number): Promise<boolean> {
    const pause = pauseAskedFor(problem);
    if (!pause || !room?.isKept) return false;
    const waitMs = pause.waitMs ?? Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 10), LONGEST_PAUSE_MS);
    await Promise.all([room.used(0), room.slowDown(waitMs)]);
    return true;
  }
}

/** Fields that hold a file or a picture, in the requests of the providers; `data` does beside its media type. */
const ofFiles = new Set(['image_url', 'input_audio', 'file', 'source', 'image']);
const mediaTypes = ['mediaType', 'mimeType', 'mime_type'];

/** About four characters are a token. */
function textTokens({ messages, tools = [], format }: PacedRequest): number {
  let files = 0;
  const text = JSON.stringify([messages, tools, format], function (this: object, key, value) {
    const isFile = ofFiles.has(key) || (key === 'data' && mediaTypes.some((name) => Object.hasOwn(this, name)));
    if (!isFile) return value;
    files++;
    return undefined;
  });
  return text.length / 4 + files * TOKENS_OF_FILE;
}
