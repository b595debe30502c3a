// The thread that watches the main thread of a worker: see watch.ts.

import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { BlockedNotes } from './blocked-notes.ts';
import { BEAT_EVERY_MS, Heartbeat } from './heartbeat.ts';
import { MainThreadCheck } from './main-thread-check.ts';
import { supervisorCheck } from './supervisor-check.ts';
import { TurnBoard } from './turn-board.ts';
import type { ExitCall, ThreadData } from './watch.ts';

// With NODE_COMPILE_CACHE. At its end a thread that is terminated writes nothing there.
flushCompileCache();

const { settings, heartbeat: beats, board: turns }: ThreadData = workerData;
const heartbeat = new Heartbeat(beats);
const board = new TurnBoard(turns);

/** Loaded on demand: most workers are never blocked, and the store and the log need some 50 MB in a second thread. */
let loaded: Promise<BlockedNotes> | undefined;
function notes(): Promise<BlockedNotes> {
  loaded ??= import('./open-notes.ts').then(({ openNotes }) => openNotes(settings, board));
  return loaded;
}

const check = new MainThreadCheck(settings.maxBlockedMs, {
  heartbeat,
  notes: {
    noticed: async (blockedMs, maxMs) => (await notes()).noticed(blockedMs, maxMs),
    answersAgain: async (blockedMs) => (await notes()).answersAgain(blockedMs),
    end: async (blockedMs) => (await notes()).end(blockedMs),
  },
});
const { outlivesSupervisorMs: outlivesMs } = settings;
const endAfterSupervisor =
  outlivesMs === undefined ? undefined : supervisorCheck({ outlivesMs, blockedMs: () => check.blockedMs });

/** The main thread waits until its call of process.exit is recorded: its agent does not block it. */
let isExiting = false;

setInterval(() => {
  if (!isExiting) check.look();
  endAfterSupervisor?.();
}, BEAT_EVERY_MS);

parentPort?.on('message', async (call: ExitCall) => {
  isExiting = true;
  try {
    await (await notes()).exited(call);
  } finally {
    heartbeat.setRecorded();
  }
});
