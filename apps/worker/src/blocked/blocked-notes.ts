import { setTimeout as delay } from 'node:timers/promises';
import { Workers } from '@switchyard/operators';
import type { CodePlace, FailureReport, ThrownError } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { thrownError } from '@switchyard/telemetry';
import type { Emit } from '../telemetry/events.ts';
import { endFromMainThread, sampleMainThread } from './sample-main-thread.ts';
import type { BoardTurn, TurnBoard } from './turn-board.ts';
import type { ExitCall, WatchSettings } from './watch.ts';

/** Without Redis the log alone has the reason. On a busy machine, connecting takes seconds. */
const WRITE_WITHIN_MS = 5_000;
/** The log writes its lines in batches. */
const LOG_WRITES_WITHIN_MS = 150;
const MAX_TASKS_IN_LINE = 20;

/** What blocks the main thread, as far as it can be seen. */
interface Blocker {
  /** The turn whose code runs; all running turns if it is not known. */
  readonly turns: readonly BoardTurn[];
  /** In native code the main thread shows neither its stack nor its turn. */
  readonly isNative: boolean;
  readonly place: CodePlace | undefined;
  readonly error: ThrownError | undefined;
}

/** Tells authors and operators of a blocked main thread: in the log, at the attempt, and in the worker's report. */
export class BlockedNotes {
  readonly #settings: WatchSettings;
  readonly #board: Pick<TurnBoard, 'turns'>;
  readonly #emit: Emit;
  #store: Promise<Store> | undefined;

  constructor(settings: WatchSettings, { board, emit }: { board: Pick<TurnBoard, 'turns'>; emit: Emit }) {
    this.#settings = settings;
    this.#board = board;
    this.#emit = emit;
  }

  /** @param maxMs after which the worker ends; 0: never */
  async noticed(blockedMs: number, maxMs: number): Promise<void> {
    const blocker = await this.#find();
    const text = `${this.#who(blocker)} has blocked the worker for ${seconds(blockedMs)}${at(blocker)}`;
    const next = maxMs === 0 ? '' : `; after ${seconds(maxMs)} the worker ends`;
    this.#emit({ kind: 'worker-blocked', text: text + next, ...this.#fields(blocker) });
    await this.#inRedis(async (store) => {
      await this.#record(store, blocker, `The agent has blocked its worker for ${seconds(blockedMs)}${at(blocker)}.`);
      const [turn] = blocker.turns.length === 1 ? blocker.turns : [];
      const where = blocker.place && `${blocker.place.file}:${blocker.place.line}`;
      const report = { ...(turn && { taskId: turn.taskId }), ...(where && { at: where }) };
      await new Workers(store.inside).reportBlocked(this.#settings.worker, report);
    });
  }

  async answersAgain(blockedMs: number): Promise<void> {
    const text = `the worker answers again: an agent had blocked it for ${seconds(blockedMs)}`;
    this.#emit({ kind: 'worker-unblocked', text });
    const store = await this.#store?.catch(() => undefined);
    this.#store = undefined;
    await store?.stop();
  }

  /** Ends this process. */
  async end(blockedMs: number): Promise<void> {
    const blocker = await this.#find();
    const text = `${this.#who(blocker)} blocked the worker for ${seconds(blockedMs)}${at(blocker)}: the worker ends`;
    this.#emit({ kind: 'worker-ended-by-agent', text, ...this.#fields(blocker) });
    await this.#inRedis(async (store) => {
      await this.#record(store, blocker, `The agent blocked its worker for ${seconds(blockedMs)}${at(blocker)}.`);
      await this.#withdraw(store);
    });
    await delay(LOG_WRITES_WITHIN_MS);
    await endFromMainThread();
    process.kill(process.pid, 'SIGKILL');
  }

  /** Call it before the process ends because of a call of process.exit. */
  async exited({ code, stack, turn }: ExitCall): Promise<void> {
    const { place, error } = this.#explain(`process.exit(${code})`, stack);
    const blocker: Blocker = { turns: turn ? [turn] : [], isNative: false, place, error };
    const who = turn ? `the agent "${turn.agent}"` : 'code outside of any turn';
    const text = `${who} called process.exit(${code})${at(blocker)}: the worker ends`;
    this.#emit({ kind: 'worker-ended-by-agent', text, ...this.#fields(blocker) });
    await this.#inRedis(async (store) => {
      const kind = 'worker-exited';
      await this.#record(store, blocker, `The agent ended its worker: process.exit(${code})${at(blocker)}.`, kind);
      await this.#withdraw(store);
    });
    await delay(LOG_WRITES_WITHIN_MS);
  }

  async #find(): Promise<Blocker> {
    const sample = await sampleMainThread();
    const running = this.#board.turns();
    if (!sample) return { turns: running, isNative: true, place: undefined, error: undefined };
    const { turn, stack } = sample;
    const own = running.filter(({ taskId }) => taskId === turn?.taskId);
    const { place, error } = this.#explain('the worker was blocked here', stack);
    return { turns: own.length > 0 ? own : running, isNative: false, place, error };
  }

  #explain(message: string, stack: string): Pick<Blocker, 'place' | 'error'> {
    const { secrets, folder } = this.#settings;
    const error = new Error(message);
    error.stack = `Error: ${message}\n${stack.split('\n').slice(1).join('\n')}`;
    const thrown = thrownError(error, { secrets, folder });
    return { place: thrown.place, error: thrown.error };
  }

  #who({ turns, isNative }: Blocker): string {
    const [turn, ...others] = turns;
    if (turn && others.length === 0) return `the agent "${turn.agent}"`;
    if (!turn) return 'code outside of any turn';
    return `${isNative ? 'native code of' : 'code of'} one of ${turns.length} turns`;
  }

  #fields({ turns, place }: Blocker) {
    const [turn, ...others] = turns;
    return {
      ...(turn && others.length === 0 && { agent: turn.agent, taskId: turn.taskId, attempt: turn.attempt }),
      ...(others.length > 0 && { tasks: turns.map(({ taskId }) => taskId).slice(0, MAX_TASKS_IN_LINE) }),
      ...(place && { at: `${place.file}:${place.line}:${place.column}` }),
    };
  }

  async #record(store: Store, blocker: Blocker, message: string, kind: FailureReport['kind'] = 'worker-blocked') {
    const { turns, place, error } = blocker;
    const { worker } = this.#settings;
    const isOne = turns.length === 1;
    const text = isOne ? message : `${message.slice(0, -1)}: this is one of ${turns.length} turns that ran there.`;
    const report = { kind, message: text, worker, ...(place && { place }), ...(error && { error }) };
    await Promise.all(
      turns.map(({ taskId, epoch, attempt }) => store.turns.recordFailure({ taskId, epoch }, { ...report, attempt })),
    );
  }

  async #withdraw(store: Store): Promise<void> {
    const { worker, agents } = this.#settings;
    await Promise.all([
      new Workers(store.inside).withdraw(worker),
      store.registry.withdraw(
        agents.map((id) => ({ id })),
        worker,
      ),
    ]);
  }

  /** Never rejects: the log has what is not written. */
  async #inRedis(write: (store: Store) => Promise<unknown>): Promise<void> {
    this.#store ??= openStore(this.#settings.store);
    const written = this.#store.then(write).catch((err: unknown) => {
      this.#emit({ kind: 'error', where: 'blocked worker', err });
    });
    await Promise.race([written, delay(WRITE_WITHIN_MS)]);
  }
}

async function openStore(settings: WatchSettings['store']): Promise<Store> {
  const store = new Store(settings, () => undefined);
  await store.start('reader');
  return store;
}

function at({ place, isNative }: Blocker): string {
  if (isNative) return ', in native code such as execSync, which shows no line';
  return place ? ` at ${place.file}:${place.line}` : '';
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
