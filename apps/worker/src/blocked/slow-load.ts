import { extname } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import { runningTurn } from '@switchyard/agent/runtime';
import { AgentModuleError } from '../agents/load-agents.ts';
import { BEAT_EVERY_MS, Heartbeat } from './heartbeat.ts';
import { openToInspector } from './main-thread.ts';

/** What the thread gets that watches how modules load. */
export interface SlowLoad {
  readonly heartbeat: SharedArrayBuffer;
  readonly folder: string;
}

interface Loading<Loaded> {
  /** Paths are shown relative to it. */
  readonly folder: string;
  readonly load: () => Promise<Loaded>;
  /** Calls the listener when nothing is left that the process could wait for. */
  readonly onEnd: (listener: () => void) => void;
}

/**
 * Loads the modules of agents. If one loops or waits at its top level, another thread says so on stderr, with the line,
 * because the main thread cannot. A module that ends the process, or waits for what never comes, cannot be loaded.
 * @throws {AgentModuleError}
 */
export async function loadWatched<Loaded>({ folder, load, onEnd }: Loading<Loaded>): Promise<Loaded> {
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
  const { exit } = process;
  // It is thrown in the module, so the error that names the module has its line.
  process.exit = (code) => {
    const error = new Error(`it calls process.exit(${code ?? ''})`);
    Error.captureStackTrace(error, process.exit);
    throw error;
  };
  const isOver = new AgentModuleError('A module of an agent waits at its top level for something that never comes.');
  const { promise: over, reject } = Promise.withResolvers<never>();
  onEnd(() => reject(isOver));
  try {
    return await Promise.race([load(), over]);
  } finally {
    process.exit = exit;
    clearInterval(beat);
    await thread.terminate();
  }
}
