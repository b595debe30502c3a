/** A running turn, as another thread sees it. */
export interface BoardTurn {
  readonly taskId: string;
  readonly agent: string;
  readonly epoch: number;
  readonly attempt: number;
}

/** More turns than this at a time are not on the board. */
const SLOTS = 512;
const SLOT_BYTES = 256;
const TEXTS_AT = SLOTS * Int32Array.BYTES_PER_ELEMENT;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The running turns of this process in shared memory: the watching thread reads them while the main thread is blocked. A
 * message to that thread for each turn would wake it up as often.
 */
export class TurnBoard {
  readonly shared: SharedArrayBuffer;
  readonly #lengths: Int32Array;
  readonly #texts: Uint8Array;
  readonly #free = Array.from({ length: SLOTS }, (_, i) => i);

  /** @param shared that of the board in another thread */
  constructor(shared = new SharedArrayBuffer(TEXTS_AT + SLOTS * SLOT_BYTES)) {
    this.shared = shared;
    this.#lengths = new Int32Array(shared, 0, SLOTS);
    this.#texts = new Uint8Array(shared, TEXTS_AT);
  }

  /** Dispose of the result when the turn ends. */
  add({ taskId, agent, epoch, attempt }: BoardTurn): Disposable {
    const slot = this.#free.pop();
    if (slot === undefined) return { [Symbol.dispose]: () => undefined };
    const text = encoder.encode(JSON.stringify([taskId, agent, epoch, attempt]));
    if (text.length <= SLOT_BYTES) {
      this.#texts.set(text, slot * SLOT_BYTES);
      Atomics.store(this.#lengths, slot, text.length);
    }
    return {
      [Symbol.dispose]: () => {
        Atomics.store(this.#lengths, slot, 0);
        this.#free.push(slot);
      },
    };
  }

  turns(): BoardTurn[] {
    return Array.from(this.#lengths).flatMap((length, slot) => (length > 0 ? [this.#read(slot, length)] : []));
  }

  #read(slot: number, length: number): BoardTurn {
    // A copy, because a decoder takes no shared memory.
    const text = this.#texts.slice(slot * SLOT_BYTES, slot * SLOT_BYTES + length);
    const [taskId, agent, epoch, attempt]: [string, string, number, number] = JSON.parse(decoder.decode(text));
    return { taskId, agent, epoch, attempt };
  }
}
