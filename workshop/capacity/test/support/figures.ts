import type { Cost, Figures } from '../../figures/figures.ts';

const nothing: Cost = { gateway: 0, worker: 0, redis: 0, fileBytes: 0, netBytes: 0, published: 0 };

/** Round ones, so that a reader can do the sum. A task: 100 µs of gateway, 200 of worker, 300 of Redis, two messages published. */
export const roundFigures: Figures = {
  date: '2026-01-01',
  conditions: {},
  operations: {
    accept: { ...nothing, gateway: 100, redis: 100, fileBytes: 1_000, published: 1 },
    complete: { ...nothing, worker: 200, redis: 200, fileBytes: 2_000, published: 1 },
    wait: { ...nothing, gateway: 100, redis: 100 },
    poll: { ...nothing, gateway: 50, redis: 10 },
    unchanged: { ...nothing, gateway: 40, redis: 10 },
    chunk: { ...nothing, gateway: 20, worker: 20, redis: 20, published: 1 },
    chunkInBurst: { ...nothing, gateway: 5, worker: 5, redis: 5 },
    delivery: { ...nothing, gateway: 10 },
  },
  idle: {
    gateway: nothing,
    worker: { ...nothing, redis: 1_000 },
    workerShard: { ...nothing, redis: 100 },
    stream: { ...nothing, gateway: 10, redis: 1 },
  },
  sizes: {
    runningTask: 10_000,
    streamOfTask: 5_000,
    finishedTask: 2_000,
    messageId: 200,
    chunk: 300,
    streamAtGateway: 10_000,
    streamAtRedis: 200,
  },
  publications: { copy: 2, send: 1, receive: 2 },
};
