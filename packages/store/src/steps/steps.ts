import { defineScript, integer, text, tuple, verdict, word } from '@switchyard/redis';
import type { DeploymentDependencies } from '../deployment/deployment.ts';
import { recordArgNames, recordKeyNames, turnCall } from '../record/record-args.ts';
import { quotaArgValues } from '../tasks/quotas/quotas.ts';
import { type OpenTurn, TurnFenced, WritesLost } from '../turns/open-turn.ts';

const begun = tuple(text, integer);
const beginStepScript = defineScript({
  file: 'begin-step.lua',
  from: import.meta.url,
  keys: recordKeyNames,
  args: [...recordArgNames, 'fence', 'key', 'known'],
  reply: verdict({ done: begun, run: begun, fenced: begun, canceling: begun, gap: begun }),
});
const endStepScript = defineScript({
  file: 'end-step.lua',
  from: import.meta.url,
  keys: recordKeyNames,
  args: [...recordArgNames, 'fence', 'key', 'known', 'result', 'maxResults', 'maxBytes'],
  reply: word('done', 'full', 'fenced', 'gap'),
});

const postponeStepScript = defineScript({
  file: 'postpone-step.lua',
  from: import.meta.url,
  keys: recordKeyNames,
  args: [...recordArgNames, 'fence', 'key', 'failed'],
  reply: word('done', 'fenced'),
});

/** The results of a turn's steps would be too large together. */
export class TooManyResults extends Error {
  override readonly name = 'TooManyResults';

  constructor(limit: number) {
    super(`The results of a turn's steps have at most ${limit} bytes together: put large results into artifacts.`);
  }
}

/**
 * `done`: the stored result (JSON; '' none). `run`: there is none; `mark` summarises the events of an earlier run, and
 * `failed` counts the attempts at the step that failed before its turn was suspended, see `postpone`.
 * `canceling`: the task will end, no new step begins.
 */
export type BegunStep =
  | { readonly verdict: 'done'; readonly result: string }
  | { readonly verdict: 'run'; readonly mark: string; readonly failed: number }
  | { readonly verdict: 'canceling' };

/** The results of steps. All attempts at a message share them, and they are kept as long as the task. */
export class Steps {
  readonly #dependencies: DeploymentDependencies;

  constructor(dependencies: DeploymentDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws {TurnFenced} @throws {WritesLost} */
  async begin(turn: OpenTurn, key: string): Promise<BegunStep> {
    const { keys, args } = turnCall(this.#dependencies, turn.start);
    const [verdict, text, failed] = await beginStepScript.run(this.#dependencies.redis, {
      keys,
      args: { ...args, key, known: turn.lastResult },
    });
    if (verdict === 'done') {
      turn.lastResult = key;
      return { verdict, result: text };
    }
    if (verdict === 'run') return { verdict, mark: text, failed };
    if (verdict === 'canceling') return { verdict };
    throw verdict === 'gap' ? new WritesLost() : new TurnFenced();
  }

  /**
   * Stores the result of a step, after all earlier events of the turn.
   * @throws {TurnFenced}
   * @throws {WritesLost}
   * @throws {TooManyResults}
   */
  async end(turn: OpenTurn, key: string, result: string): Promise<void> {
    await turn.written();
    await turn.usageRecorded();
    const { redis, settings } = this.#dependencies;
    const { maxStepsBytes: maxResults } = settings;
    const { keys, args } = turnCall(this.#dependencies, turn.start);
    const { maxBytes } = quotaArgValues(settings);
    const verdict = await endStepScript.run(redis, {
      keys,
      args: { ...args, key, known: turn.lastResult, result, maxResults, maxBytes },
    });
    if (verdict === 'full') throw new TooManyResults(maxResults);
    if (verdict === 'gap') throw new WritesLost();
    if (verdict !== 'done') throw new TurnFenced();
    turn.lastResult = key;
  }

  /** Keeps how many attempts at a step have failed, before its turn may be suspended. @throws {TurnFenced} */
  async postpone(turn: OpenTurn, key: string, failed: number): Promise<void> {
    const { keys, args } = turnCall(this.#dependencies, turn.start);
    const verdict = await postponeStepScript.run(this.#dependencies.redis, { keys, args: { ...args, key, failed } });
    if (verdict !== 'done') throw new TurnFenced();
  }
}
