import { CommandFailure } from '../failures/failure.ts';
import type { Session } from '../session/session.ts';
import type { Finding } from './finding.ts';

/** What `doctor` looks at, and what to do if it does not answer. */
export interface Probed {
  readonly what: string;
  readonly withinMs: number;
  readonly todo: string;
  /** Default: a problem. */
  readonly verdict?: Finding['verdict'];
}

/** A process that gets no processor sees a timer before the answers that have come: it waits in so many steps. */
const STEPS = 20;

/** The result of a probe, or that there is none in time, whatever hangs. @param look its signal is aborted then */
export async function probe(
  { what, withinMs, todo, verdict = 'problem' }: Probed,
  look: (signal: AbortSignal) => Promise<Finding[]>,
): Promise<Finding[]> {
  const text = `${what} did not answer within ${withinMs / 1_000} s`;
  const late = new AbortController();
  const { promise: deadline, resolve } = Promise.withResolvers<Finding[]>();
  let steps = 0;
  const timer = setInterval(() => {
    steps += 1;
    if (steps < STEPS) return;
    resolve([{ verdict, text, todo }]);
    late.abort(new CommandFailure('A2ACLI_ERR_TIMEOUT', text, { hint: todo }));
  }, withinMs / STEPS);
  try {
    return await Promise.race([look(late.signal), deadline]);
  } finally {
    clearInterval(timer);
  }
}

/** The session whose requests also end with this signal. */
export function endingWith(session: Session, signal: AbortSignal): Session {
  return { ...session, call: { ...session.call, signal: AbortSignal.any([session.call.signal, signal]) } };
}
