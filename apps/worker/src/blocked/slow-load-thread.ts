// The thread that says where modules of agents load for too long: see slow-load.ts.

import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { Heartbeat } from './heartbeat.ts';
import type { SlowLoad } from './slow-load.ts';

/** In a thread `process.stderr` is written by the main thread, which may be blocked. */
const STDERR = 2;
const SLOW_AFTER_MS = 3_000;
/** The main thread beats four times. */
const LOOK_FOR_MS = 1_000;

// With NODE_COMPILE_CACHE. At its end a thread that is terminated writes nothing there.
flushCompileCache();

const { heartbeat: shared, folder }: SlowLoad = workerData;
const heartbeat = new Heartbeat(shared);

await delay(SLOW_AFTER_MS);
const { beats } = heartbeat;
await delay(LOOK_FOR_MS);
if (heartbeat.beats > beats) say('a module of an agent waits at its top level; the worker starts when it goes on');
else say(`a module of an agent runs${await where()}, and nothing starts before it ends`);

/** Loaded on demand: modules load within milliseconds, as a rule. */
async function where(): Promise<string> {
  const { sampleMainThread } = await import('./sample-main-thread.ts');
  const { thrownError } = await import('@switchyard/telemetry');
  const sample = await sampleMainThread();
  if (!sample) return ' native code such as execSync';
  const error = new Error('it runs here');
  error.stack = sample.stack;
  const { place } = thrownError(error, { secrets: [], folder });
  return place ? ` at ${place.file}:${place.line}` : '';
}

function say(text: string): void {
  const seconds = (SLOW_AFTER_MS + LOOK_FOR_MS) / 1_000;
  // `switchyard up` shows a line that begins so before the worker has ended.
  writeSync(STDERR, `loading: for ${seconds} s ${text}\n`);
}
