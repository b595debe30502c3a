import { GCProfiler, getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { createGateway } from '@switchyard/gateway';
import { Store } from '@switchyard/store';
import { createLog } from '@switchyard/telemetry';

/** A gateway in its own thread, which counts allocated bytes between the messages `begin` and `end`. */
const { redisUrl, prefix } = workerData as { redisUrl: string; prefix: string };
const store = new Store({ redisUrl, prefix }, () => undefined);
await store.start();
const log = createLog({ app: 'gateway', level: 'silent' });
const { url } = await createGateway({ port: 0, defaultAgent: 'led' }, { store, log }).start();

const heap = (): number => getHeapStatistics().used_heap_size;
let profiler = new GCProfiler();
let from = 0;

/** The sum of the heap's growth between garbage collections. */
function allocated(): number {
  const until = heap();
  const { statistics } = profiler.stop();
  let [sum, last] = [0, from];
  for (const { beforeGC, afterGC } of statistics) {
    sum += beforeGC.heapStatistics.usedHeapSize - last;
    last = afterGC.heapStatistics.usedHeapSize;
  }
  return sum + until - last;
}

parentPort?.on('message', (order: 'begin' | 'end') => {
  if (order === 'end') return parentPort?.postMessage(allocated());
  profiler = new GCProfiler();
  profiler.start();
  from = heap();
  parentPort?.postMessage(0);
});
parentPort?.postMessage(url);
