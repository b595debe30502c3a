/** Cost of one operation, or of one idle second. */
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
  /** Published messages: one for each script. */
  readonly published: number;
}

export const operations = {
  accept: 'SendMessage with returnImmediately, new task',
  complete: 'the turn of that task: working, completed',
  wait: 'added by a blocking SendMessage, which waits for the end',
  poll: "GetTask of a small task, from the gateway's cache",
  unchanged: 'GetTask with the ETag (304)',
  chunk: 'one chunk of 30 bytes, 50 a second on each of 100 streams, delivered to one subscriber',
  chunkInBurst: 'the same, as fast as possible',
  delivery: 'one event to one more subscriber at the same gateway',
} as const;

/** Per second. */
export const idlers = {
  gateway: 'a gateway',
  worker: 'a worker with one agent, one shard',
  workerShard: 'a worker, for each further shard',
  stream: 'an open stream without events',
} as const;

/** Bytes of Redis unless the name says otherwise. */
export const sizes = {
  runningTask: 'a running task: 2 events, 200 B of an artifact, and its job',
  streamOfTask: 'its stream, which is deleted some minutes after the end',
  finishedTask: 'an ended task whose stream is deleted: 2 messages, one artifact of 200 B, indexes',
  messageId: 'a messageId, which is kept for a day',
  chunk: 'one chunk of 30 bytes in a stream',
  streamAtGateway: 'gateway: an open stream',
  streamAtRedis: 'Redis: an open stream',
} as const;

/** Microseconds of Redis' main thread for each published message of 300 bytes. */
export const publications = {
  copy: 'for each further gateway that follows the task',
  send: 'in a Cluster: to send it to another node',
  receive: 'in a Cluster: to receive it from another node',
} as const;

export type Named<Names, Value> = { readonly [Name in keyof Names]: Value };

/** The contents of bench/results/capacity.json. */
export interface Figures {
  readonly date: string;
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly operations: Named<typeof operations, Cost>;
  readonly idle: Named<typeof idlers, Cost>;
  readonly sizes: Named<typeof sizes, number>;
  readonly publications: Named<typeof publications, number>;
}
