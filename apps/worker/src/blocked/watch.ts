import { extname } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { runningTurn } from '@switchyard/agent/runtime';
import type { StoreSettings } from '@switchyard/store';
import type { LogFormat } from '@switchyard/telemetry';
import type { LevelWithSilent } from 'pino';
import { BEAT_EVERY_MS, Heartbeat } from './heartbeat.ts';
import { endAtOnce, handleSignalsAgain, type OnSignal } from './main-thread.ts';
import { type BoardTurn, TurnBoard } from './turn-board.ts';

export interface WatchSettings {
  readonly store: Partial<StoreSettings> & Pick<StoreSettings, 'redisUrl'>;
  /** How long the main thread may be blocked; 0: for ever. */
  readonly maxBlockedMs: number;
  /** Id of the worker. */
  readonly worker: string;
  /** Ids of its agents. */
  readonly agents: readonly string[];
  /** After the supervisor's end this process ends itself within this time. Unset: it has no supervisor. */
  readonly outlivesSupervisorMs: number | undefined;
  readonly logLevel: LevelWithSilent;
  readonly logFormat: LogFormat;
  /** Standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Values that are never written to the log. */
  readonly secrets: readonly string[];
  /** Paths are shown relative to it. */
  readonly folder: string;
}

/** What the watching thread gets at its start. */
export interface ThreadData {
  readonly settings: WatchSettings;
  readonly heartbeat: SharedArrayBuffer;
  readonly board: SharedArrayBuffer;
}

/** The main thread, to the watch. */
export interface MainThread {
  /** Whether a debugger may stop it. */
  readonly isDebugged: () => boolean;
  readonly onSignal: OnSignal;
}

/** Code of an agent called process.exit. */
export interface ExitCall {
  readonly code: string;
  readonly stack: string;
  /** Unset: the code belongs to no turn. */
  readonly turn: BoardTurn | undefined;
}

/** In this time the watching thread writes why the process ends. */
const RECORD_WITHIN_MS = 8_000;

/**
 * Watches the main thread from another thread: an agent that blocks it for too long ends this process, and nothing else
 * could say which one it was.
 */
export class BlockedWatch {
  readonly board = new TurnBoard();
  readonly #heartbeat = new Heartbeat();
  readonly #thread: Thread;
  readonly #timer: NodeJS.Timeout;

  constructor(settings: WatchSettings, { isDebugged, onSignal }: MainThread) {
    const workerData: ThreadData = { settings, heartbeat: this.#heartbeat.shared, board: this.board.shared };
    // Built, it is JavaScript.
    const program = new URL(`./watch-thread${extname(import.meta.filename)}`, import.meta.url);
    this.#thread = new Thread(program, { workerData });
    this.#thread.unref();
    this.#heartbeat.beat(isDebugged());
    this.#timer = setInterval(() => {
      handleSignalsAgain(onSignal);
      this.#heartbeat.beat(isDebugged());
    }, BEAT_EVERY_MS).unref();
  }

  /** Ends this process because code of an agent called process.exit, once the log and the attempt say so. */
  exit(code: unknown): never {
    const owner = runningTurn();
    const turn = owner && this.board.turns().find(({ taskId }) => taskId === owner.taskId);
    const { stack = '' } = new Error(`process.exit(${code ?? ''})`);
    const call: ExitCall = { code: String(code ?? ''), stack, turn };
    this.#thread.postMessage(call);
    this.#heartbeat.waitUntilRecorded(RECORD_WITHIN_MS);
    return endAtOnce();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#thread.terminate();
  }
}
