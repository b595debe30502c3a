import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedProcess } from '@switchyard/local';

/** A supervised process. */
export type Supervised = Pick<GuardedProcess, 'pid' | 'exited' | 'stop'>;

/** A process that a signal has ended. */
export interface Killed {
  readonly pid: number;
  readonly signal: number;
}

export interface SupervisedProcess {
  readonly name: string;
  /** @param before unless it is the first start, or the process before has exited by itself */
  readonly start: (before?: Killed) => Promise<Supervised>;
  readonly say: (text: string) => void;
  /** Number of quick crashes in a row after which it is given up; Infinity: never. Default: 3. */
  readonly maxQuickDeaths?: number;
  /** After this time a process is stable, and its count of crashes is reset. */
  readonly stableAfterMs?: number;
  readonly firstPauseMs?: number;
}

/** Exit codes of a program that cannot start: a restart would not help. */
const CANNOT_START: readonly (number | undefined)[] = [1, 2];
const LONGEST_PAUSE_MS = 8_000;

export interface Supervision {
  /** Resolves when the process runs for the first time; rejects if it cannot be started. */
  readonly started: Promise<void>;
  /** Resolves after `stop`; rejects if the process is given up. */
  readonly ended: Promise<void>;
  /** Stops the process for good: SIGTERM, then SIGKILL after `withinMs`. Idempotent; the shortest time applies. */
  stop(withinMs: number): Promise<void>;
}

/** Keeps one process running: restarts it with growing pauses when it exits unasked. */
export function supervise(settings: SupervisedProcess): Supervision {
  const { name, say, maxQuickDeaths = 3, stableAfterMs = 10_000, firstPauseMs = 250 } = settings;
  const stopping = new AbortController();
  let child: Supervised | undefined;
  const started = startChild();
  const ended = started.then(keepRunning);
  // It may be awaited later, or never.
  ended.catch(() => undefined);

  async function startChild(before?: Killed): Promise<void> {
    child = await settings.start(before);
    // Stopped while it was starting.
    if (stopping.signal.aborted) await child.stop();
  }

  async function keepRunning(): Promise<void> {
    let quickDeaths = 0;
    for (let isFirst = true; ; isFirst = false) {
      const startedAt = Date.now();
      const code = await child?.exited;
      if (stopping.signal.aborted) return;
      const isQuick = Date.now() - startedAt < stableAfterMs;
      if (isFirst && isQuick && CANNOT_START.includes(code)) throw new Error(`the ${name} cannot start: see above`);
      quickDeaths = isQuick ? quickDeaths + 1 : 1;
      await pauseAfter(describeExit(code), quickDeaths);
      if (stopping.signal.aborted) return;
      await startChild(killed(child, code));
    }
  }

  async function pauseAfter(death: string, quickDeaths: number): Promise<void> {
    if (quickDeaths >= maxQuickDeaths) throw new Error(`the ${name} does not stay up (${death}): giving up`);
    const pauseMs = Math.min(firstPauseMs * 2 ** (quickDeaths - 1), LONGEST_PAUSE_MS);
    say(`the ${name} ended unexpectedly (${death}): starting it again in ${pauseMs} ms`);
    await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  async function stop(withinMs: number): Promise<void> {
    stopping.abort();
    await child?.stop(withinMs);
    await ended.catch(() => undefined);
  }

  return { started, ended, stop };
}

function killed(child: Supervised | undefined, code: number | undefined): Killed | undefined {
  return child && code !== undefined && code > 128 ? { pid: child.pid, signal: code - 128 } : undefined;
}

const moreMemory = 'NODE_OPTIONS=--max-old-space-size=<MiB> sets how much it may use';

function describeExit(code: number | undefined): string {
  // Node aborts itself when its heap is full.
  if (code === 128 + 6) return `signal 6: most likely out of memory; ${moreMemory}`;
  return code !== undefined && code > 128 ? `signal ${code - 128}` : `exit code ${code}`;
}
