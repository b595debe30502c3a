/** What one operation costs, or one second of something that idles. */
export interface Cost {
  /** Microseconds of processor: user and system, all threads of the process. */
  readonly gateway: number;
  readonly worker: number;
  /** Microseconds of Redis' main thread, the one that limits a shard. */
  readonly redis: number;
  /** Bytes written to the append-only file. A replica gets as many. */
  readonly fileBytes: number;
  /** Bytes that Redis received and sent, replicas aside. */
  readonly netBytes: number;
  /** Published messages: one per script. */
  readonly published: number;
}

export const operations = {
  accept: 'SendMessage, answered at once, of a new task',
  complete: 'its turn: working, completed',
  wait: 'a client that waits for the end on the same call, more than accept',
  poll: 'GetTask of a small task, in memory',
  unchanged: 'GetTask with the ETag (304)',
  chunk: 'one chunk of 30 bytes, 50 a second on each of 100 streams, delivered to one subscriber',
  chunkInBurst: 'the same, as fast as it goes',
  delivery: 'one event to one more subscriber at the same gateway',
} as const;

/** Each for a second. */
export const idlers = {
  gateway: 'a gateway',
  worker: 'a worker with one agent, one shard',
  workerShard: 'a worker, for each shard more',
  stream: 'an open stream on which nothing happens',
} as const;

/** Bytes of Redis unless the name says otherwise. */
export const sizes = {
  runningTask: 'a task that runs: 2 events and 200 B of an artifact so far, its job included',
  streamOfTask: 'its stream, which goes some minutes after the end',
  finishedTask: 'the task once it has ended and its stream is gone: 2 messages, one artifact of 200 B, indexes',
  messageId: 'the messageId that is remembered for a day',
  chunk: 'one chunk of 30 bytes in a stream',
  streamAtGateway: 'of the gateway: an open stream',
  streamAtRedis: 'of Redis: an open stream',
} as const;

/** Microseconds of Redis' main thread for each published message of 300 bytes. */
export const publications = {
  copy: 'for each gateway more that follows the task',
  send: 'of a Cluster: to send it to one other node',
  receive: 'of a Cluster: to receive it from another node',
} as const;

export type Named<Names, Value> = { readonly [Name in keyof Names]: Value };

/** What was measured: bench/results/capacity.json. */
export interface Figures {
  readonly date: string;
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly operations: Named<typeof operations, Cost>;
  readonly idle: Named<typeof idlers, Cost>;
  readonly sizes: Named<typeof sizes, number>;
  readonly publications: Named<typeof publications, number>;
}
