import type { BenchCase } from './bench-case.ts';
import { chunkAtDistance, eightStreams, oneLongArtifact } from './chunks.ts';
import { curve } from './curve.ts';
import { backlog } from './drain.ts';
import { fanOut } from './fan-out.ts';
import { getTask, getTaskUnchanged } from './get-task.ts';
import { idleSubscribers } from './idle-subscribers.ts';
import { latencyMedian, latencyTail } from './latency.ts';
import { list } from './list.ts';
import { memory } from './memory.ts';
import { redisTimes } from './redis-time.ts';
import { accept, acceptWhileWorking, complete, completeFew, completeLater } from './send.ts';

/** Every row of the table, in its order. */
export const benchCases: readonly BenchCase[] = [
  accept,
  acceptWhileWorking,
  getTask,
  getTaskUnchanged,
  oneLongArtifact,
  chunkAtDistance,
  eightStreams,
  fanOut,
  idleSubscribers,
  latencyMedian,
  latencyTail,
  backlog,
  complete,
  completeFew,
  completeLater,
  ...curve,
  list,
  memory,
  ...redisTimes,
];
