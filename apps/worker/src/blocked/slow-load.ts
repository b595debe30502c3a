import { extname } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { runningTurn } from '@switchyard/agent/runtime';
import { BEAT_EVERY_MS, Heartbeat } from './heartbeat.ts';
import { openToInspector } from './main-thread.ts';

/** What the thread gets that watches how modules load. */
export interface SlowLoad {
  readonly heartbeat: SharedArrayBuffer;
  readonly folder: string;
}

/**
 * Loads the modules of agents. If one loops or waits at its top level, another thread says so on stderr, with the line,
 * because the main thread cannot.
 */
export async function loadWatched<Loaded>(folder: string, load: () => Promise<Loaded>): Promise<Loaded> {
  openToInspector(runningTurn);
  const heartbeat = new Heartbeat();
  const beat = setInterval(() => heartbeat.beat(false), BEAT_EVERY_MS).unref();
  const workerData: SlowLoad = { heartbeat: heartbeat.shared, folder };
  const thread = new Thread(new URL(`./slow-load-thread${extname(import.meta.filename)}`, import.meta.url), {
    workerData,
  });
  thread.unref();
  // A worker that cannot be watched can still load.
  thread.on('error', () => undefined);
  try {
    return await load();
  } finally {
    clearInterval(beat);
    await thread.terminate();
  }
}
