import { recordArgs, recordArguments, recordKeys } from '../redis/record.ts';
import { text, tuple, verdict, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { type OpenTurn, TurnEnded } from '../turns/open-turn.ts';
import type { TurnsPort } from '../turns/turns-port.ts';

const beginStepScript = defineScript({
  file: 'begin-step.lua',
  from: import.meta.url,
  keys: recordKeys,
  args: [...recordArgs, 'fence', 'key'],
  reply: verdict({ done: tuple(text), run: tuple(text), fenced: tuple(text), canceling: tuple(text) }),
});
const endStepScript = defineScript({
  file: 'end-step.lua',
  from: import.meta.url,
  keys: recordKeys,
  args: [...recordArgs, 'fence', 'key', 'result', 'maxBytes'],
  reply: word('done', 'full', 'fenced'),
});

/** The results of the steps of one turn take more room than they may. */
export class TooManyResults extends Error {
  override readonly name = 'TooManyResults';

  constructor(limit: number) {
    super(`The results of a turn's steps have at most ${limit} bytes together: put what is large into artifacts.`);
  }
}

/**
 * `done`: the step has this result (JSON; '' nothing). `run`: it has none; `mark` says what its events came to in an
 * earlier run. `canceling`: the task is about to end, nothing new is to begin.
 */
export type BegunStep =
  | { readonly verdict: 'done'; readonly result: string }
  | { readonly verdict: 'run'; readonly mark: string }
  | { readonly verdict: 'canceling' };

/** What turns have done already: kept for all attempts at a message, and no longer than its task. */
export class Steps {
  readonly #port: TurnsPort;

  constructor(port: TurnsPort) {
    this.#port = port;
  }

  /** @throws {TurnEnded} */
  async begin(turn: OpenTurn, key: string): Promise<BegunStep> {
    const { keys, args } = this.#call(turn);
    const [verdict, text] = await beginStepScript.run(this.#port.redis, { keys, args: { ...args, key } });
    if (verdict === 'done') return { verdict, result: text };
    if (verdict === 'run') return { verdict, mark: text };
    if (verdict === 'canceling') return { verdict };
    throw new TurnEnded();
  }

  /**
   * Everything that the turn has published is durable before the result is.
   * @throws {TurnEnded}
   * @throws {TooManyResults}
   */
  async end(turn: OpenTurn, key: string, result: string): Promise<void> {
    await turn.written();
    const { maxStepsBytes: maxBytes } = this.#port.settings;
    const { keys, args } = this.#call(turn);
    const verdict = await endStepScript.run(this.#port.redis, { keys, args: { ...args, key, result, maxBytes } });
    if (verdict === 'full') throw new TooManyResults(maxBytes);
    if (verdict !== 'done') throw new TurnEnded();
  }

  #call({ start: { taskId, fence } }: OpenTurn) {
    const { shards, settings } = this.#port;
    return { keys: shards.of(taskId).record(taskId), args: { ...recordArguments(taskId, settings), fence } };
  }
}
