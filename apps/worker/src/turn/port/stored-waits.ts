import { TurnEnded, TurnInterruption, TurnMisuseError } from '@switchyard/agent';
import type { WaitBeginning, WaitPort, WaitRequest } from '@switchyard/agent/runtime';
import type { OpenTurn, Waits } from '@switchyard/store';
import { mapStoreErrors } from './store-errors.ts';

export class StoredWaits implements WaitPort {
  readonly #waits: Waits;
  readonly #turn: OpenTurn;
  readonly #publicUrl: string | undefined;

  /** @param publicUrl of the gateway; unset: no callback can reach it */
  constructor(waits: Waits, turn: OpenTurn, publicUrl: string | undefined) {
    this.#waits = waits;
    this.#turn = turn;
    this.#publicUrl = publicUrl;
  }

  async begin(wait: WaitRequest): Promise<WaitBeginning> {
    const begun = await mapStoreErrors(() => this.#waits.begin(this.#turn, wait));
    if (begun.verdict === 'canceling') throw new TurnEnded(new TurnInterruption('canceled'));
    if (begun.verdict === 'done') return { kind: 'done', result: begun.result };
    return { kind: 'waits', dueMs: begun.dueMs, leftMs: begun.leftMs };
  }

  async callbackUrl(key: string, event: string): Promise<string> {
    if (this.#publicUrl === undefined)
      throw new TurnMisuseError(
        'turn.callbackUrl needs the address at which services reach the gateway: set PUBLIC_URL for the worker, as for the gateway.',
      );
    const token = await mapStoreErrors(() => this.#waits.callback(this.#turn, key, event));
    if (token === 'canceling') throw new TurnEnded(new TurnInterruption('canceled'));
    const base = this.#publicUrl.endsWith('/') ? this.#publicUrl : `${this.#publicUrl}/`;
    return new URL(`callbacks/${encodeURIComponent(this.#turn.start.taskId)}/${token}`, base).href;
  }
}
