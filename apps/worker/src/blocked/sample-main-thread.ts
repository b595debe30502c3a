import { type Debugger, Session } from 'node:inspector';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScopeOwner } from '@switchyard/agent/runtime';
import { inMainThread } from './main-thread.ts';

/** JavaScript stops within some ms, on a busy machine within seconds; native code, such as execSync, does not before it returns. */
const STOPS_WITHIN_MS = 3_000;

/** What the main thread does. */
export interface Sample {
  /** As in an error. */
  readonly stack: string;
  /** The turn whose code runs; undefined: no turn's, or it is not known. */
  readonly turn: ScopeOwner | undefined;
}

/**
 * Stops the blocked main thread for a moment, and reads its stack. Signals then end the process until the main thread
 * answers again.
 * @returns undefined: it runs native code
 */
export async function sampleMainThread(): Promise<Sample | undefined> {
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => urls.set(scriptId, url));
  try {
    const paused = await pause(session);
    if (!paused) return undefined;
    const [top] = paused;
    const turn = top && (await evaluate(session, top, `${inMainThread}.turn()`));
    if (top) await evaluate(session, top, `${inMainThread}.letSignalsEnd()`);
    return { stack: stackOf(paused, urls), turn };
  } finally {
    session.disconnect();
  }
}

/** Ends the process from its main thread. Returns if the main thread cannot be stopped. */
export async function endFromMainThread(): Promise<void> {
  const session = new Session();
  session.connectToMainThread();
  const [top] = (await pause(session)) ?? [];
  if (top) await Promise.race([evaluate(session, top, `${inMainThread}.end()`), delay(STOPS_WITHIN_MS)]);
  session.disconnect();
}

type Frame = Debugger.CallFrame;

async function pause(session: Session): Promise<readonly Frame[] | undefined> {
  const paused = new Promise<readonly Frame[]>((resolve) => {
    session.once('Debugger.paused', ({ params }) => resolve(params.callFrames));
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  return Promise.race([paused, delay(STOPS_WITHIN_MS, undefined)]);
}

function evaluate(session: Session, { callFrameId }: Frame, expression: string): Promise<ScopeOwner | undefined> {
  return new Promise((resolve) => {
    session.post('Debugger.evaluateOnCallFrame', { callFrameId, expression, returnByValue: true }, (error, reply) =>
      resolve(error ? undefined : reply.result.value),
    );
  });
}

function stackOf(frames: readonly Frame[], urls: ReadonlyMap<string, string>): string {
  const lines = frames.slice(0, 50).map(({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }) => {
    const place = `${urls.get(scriptId)}:${lineNumber + 1}:${columnNumber + 1}`;
    return functionName ? `    at ${functionName} (${place})` : `    at ${place}`;
  });
  return ['Error: the main thread is blocked', ...lines].join('\n');
}
