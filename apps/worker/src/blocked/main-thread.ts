import { closeSync } from 'node:fs';
import type { ScopeOwner } from '@switchyard/agent/runtime';

/** Exit code of a worker that code of an agent has ended, or made unable to go on: it must be started again. */
export const ENDED_BY_AGENT = 70;

/** What the watching thread calls in the blocked main thread, through the inspector. */
interface BlockedMainThread {
  /** The turn whose code runs. */
  readonly turn: () => ScopeOwner | undefined;
  /** From now on a signal ends the process at once: its handlers cannot run. */
  readonly letSignalsEnd: () => void;
  /** Ends the process with `ENDED_BY_AGENT`, without handlers that might be blocked as well. */
  readonly end: () => never;
}

/** The expression by which the inspector finds it: an agent has no reason to use this name. */
export const inMainThread = "globalThis[Symbol.for('@switchyard/worker blocked')]";

/** Call it once, in the main thread, before code of agents runs. */
export function openToInspector(turn: BlockedMainThread['turn']): void {
  const open: BlockedMainThread = { turn, letSignalsEnd, end: endProcess };
  Object.defineProperty(globalThis, Symbol.for('@switchyard/worker blocked'), { value: open });
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type SignalListener = (...args: unknown[]) => void;
export type OnSignal = (name: (typeof endSignals)[number], listener: SignalListener) => void;
const setAside = new Map<(typeof endSignals)[number], SignalListener[]>();

function letSignalsEnd(): void {
  for (const name of endSignals) {
    const listeners = process.rawListeners(name) as SignalListener[];
    if (listeners.length > 0) setAside.set(name, listeners);
    process.removeAllListeners(name);
  }
}

/** The main thread runs, so the handlers of signals can run, too. @param onSignal adds one */
export function handleSignalsAgain(onSignal: OnSignal): void {
  for (const [name, listeners] of setAside) for (const each of listeners) onSignal(name, each);
  setAside.clear();
}

function endProcess(): never {
  // Node would say there that it waits for a debugger.
  closeSync(process.stderr.fd);
  return endAtOnce();
}

/** Ends the process without its handlers. */
export function endAtOnce(): never {
  // process.exit without listeners, one of which may be the agent's. Node's own listeners of signals use it, too.
  const { reallyExit } = process as typeof process & { readonly reallyExit: (code: number) => never };
  return reallyExit.call(process, ENDED_BY_AGENT);
}
