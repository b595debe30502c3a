/** The process that a supervisor ran before this one, and the signal that ended it. */
export interface Predecessor {
  readonly pid: number;
  readonly signal: number;
}

/** The argument of a supervisor: `--predecessor 4711:6`. Undefined: there was none, or it cannot be read. */
export function readPredecessor(text: string): Predecessor | undefined {
  const [, pid, signal] = /^(\d{1,10}):(\d{1,2})$/.exec(text) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), signal: Number(signal) };
}
