import type { LongWait } from '@switchyard/agent/runtime';
import type { RemoteProblem, ReportedTurn } from '@switchyard/operators';
import type { OpenTurn } from '@switchyard/store';
import type { TurnBoard } from '../blocked/turn-board.ts';
import { labelOf } from '../telemetry/metrics.ts';

interface Entry {
  readonly turn: OpenTurn;
  /** As performance.now(). */
  readonly begunAt: number;
  waitsFor?: LongWait | undefined;
}

/** The turns that run in this process, for reports. */
export class ActiveTurns {
  readonly #entries = new Set<Entry>();
  readonly #board: Pick<TurnBoard, 'add'> | undefined;

  constructor(board?: Pick<TurnBoard, 'add'>) {
    this.#board = board;
  }

  /** Dispose of the result when the turn ends. */
  add(turn: OpenTurn): Disposable {
    const entry = { turn, begunAt: performance.now() };
    this.#entries.add(entry);
    const shown = this.#board?.add(turn.start);
    return {
      [Symbol.dispose]: () => {
        this.#entries.delete(entry);
        shown?.[Symbol.dispose]();
      },
    };
  }

  /** Shows what a turn has long to wait for. @param wait undefined: it waits no more */
  setWait(turn: OpenTurn, wait: LongWait | undefined): void {
    for (const entry of this.#entries) if (entry.turn === turn) entry.waitsFor = wait;
  }

  /** Number of running turns, by agent. */
  counts(): ReadonlyMap<string, number> {
    const byAgent = Map.groupBy(this.#entries, ({ turn }) => labelOf(turn.start.agent));
    return new Map([...byAgent].map(([agent, { length }]) => [agent, length]));
  }

  /** Of agents whose turns cannot reach the agent elsewhere that runs them. */
  remoteProblems(): Readonly<Record<string, RemoteProblem>> {
    const waits = [...this.#entries].flatMap(({ turn, waitsFor }): [string, RemoteProblem][] =>
      waitsFor?.for === 'remote-agent' ? [[turn.start.agent, { kind: 'unreachable', text: waitsFor.text }]] : [],
    );
    return Object.fromEntries(waits);
  }

  list(): ReportedTurn[] {
    const now = performance.now();
    return [...this.#entries].map(({ turn: { start }, begunAt, waitsFor }) => ({
      taskId: start.taskId,
      epoch: start.epoch,
      runsForMs: Math.round(now - begunAt),
      ...(waitsFor !== undefined && { waitsFor }),
    }));
  }
}
