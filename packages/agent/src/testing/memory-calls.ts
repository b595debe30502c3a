import type { CallOutcome, CallPlacement, CallPort, OutgoingCall, PlacedCall } from '../port/call-port.ts';
import type { MemoryWorld, RunningTask } from './memory-world.ts';

/** Calls to the agents of a world. */
export class MemoryCalls implements CallPort {
  readonly maxDepth = 8;
  readonly #placed = new Set<string>();
  readonly #world: MemoryWorld;
  readonly #caller: { agent: string; taskId: string; depth: number };

  /** @param caller the calling agent, as the called agents see it */
  constructor(world: MemoryWorld, caller: { agent: string; taskId: string; depth: number }) {
    this.#world = world;
    this.#caller = caller;
  }

  async place(call: OutgoingCall): Promise<CallPlacement> {
    if (!this.#world.agents.has(call.agent)) return { refused: 'unknown-agent' };
    const taskId = this.#world.place(call, this.#caller);
    if (taskId === undefined) return { refused: 'missing' };
    this.#placed.add(taskId);
    return { agent: call.agent, taskId };
  }

  async outcome({ taskId }: PlacedCall, signal: AbortSignal): Promise<CallOutcome | 'missing' | undefined> {
    const running = this.#running(taskId);
    if (!running) return 'missing';
    const aborted = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
      if (signal.aborted) resolve(undefined);
    });
    return Promise.race([running.outcome, aborted]);
  }

  async read({ taskId }: PlacedCall): Promise<CallOutcome | 'missing'> {
    const task = this.#running(taskId)?.task();
    return task ? { task } : 'missing';
  }

  /** Call it when the caller's task was canceled or has failed. */
  end(): void {
    for (const taskId of this.#placed) this.#running(taskId)?.cancel();
  }

  async cancel({ taskId }: PlacedCall): Promise<void> {
    this.#running(taskId)?.cancel();
  }

  async noteFailure(): Promise<void> {
    // A test has no operators.
  }

  #running(taskId: string): RunningTask | undefined {
    return this.#world.tasks.get(taskId)?.running;
  }
}
