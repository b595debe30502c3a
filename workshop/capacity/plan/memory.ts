import type { Figures } from '../figures/figures.ts';
import type { Load } from './load.ts';

/** A messageId is remembered for a day. */
const REMEMBERED_SECONDS = 86_400;
/** Text of a chunk as it was measured. */
const CHUNK_BYTES = 30;

/** What the masters keep together once the load has lasted for the retention. */
export function memoryBytes({ sizes }: Figures, load: Load): number {
  const { tasksPerSecond, chunksPerSecond, retentionSeconds, replaySeconds, turnSeconds, openStreams } = load;
  const ended = tasksPerSecond * retentionSeconds * sizes.finishedTask;
  const remembered = tasksPerSecond * REMEMBERED_SECONDS * sizes.messageId;
  const streams = tasksPerSecond * replaySeconds * sizes.streamOfTask;
  const running = tasksPerSecond * turnSeconds * sizes.runningTask;
  const chunks = chunksPerSecond * (replaySeconds * sizes.chunk + retentionSeconds * CHUNK_BYTES);
  return ended + remembered + streams + running + chunks + openStreams * sizes.streamAtRedis;
}
