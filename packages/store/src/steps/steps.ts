import { recordArguments } from '../redis/record-arguments.ts';
import { Script } from '../redis/script.ts';
import { type OpenTurn, TurnEnded } from '../turns/open-turn.ts';
import type { TurnsPort } from '../turns/turns-port.ts';

const beginStepScript = new Script('begin-step.lua', import.meta.url);
const endStepScript = new Script('end-step.lua', import.meta.url);

/** The results of the steps of one turn take more room than they may. */
export class TooManyResults extends Error {
  override readonly name = 'TooManyResults';

  constructor(limit: number) {
    super(`The results of a turn's steps have at most ${limit} bytes together: put what is large into artifacts.`);
  }
}

/**
 * `done`: the step has this result (JSON; '' nothing). `run`: it has none; `mark` says what its events came to in an earlier run.
 * `canceling`: the task is about to end, nothing new is to begin.
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
    const [verdict, text] = (await this.#run(beginStepScript, turn, key)) as [string, string];
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
    const { maxStepsBytes } = this.#port.settings;
    const verdict = await this.#run(endStepScript, turn, key, result, maxStepsBytes);
    if (verdict === 'full') throw new TooManyResults(maxStepsBytes);
    if (verdict !== 'done') throw new TurnEnded();
  }

  #run(script: Script, { start }: OpenTurn, ...args: (string | number)[]): Promise<unknown> {
    const { redis, shards, settings } = this.#port;
    const { taskId, fence } = start;
    return script.run(redis, shards.of(taskId).record(taskId), [...recordArguments(taskId, settings), fence, ...args]);
  }
}
