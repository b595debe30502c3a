import { inWords } from '../bench/report.ts';
import { markdownTable, number, withSection } from '../tables.ts';

/** The cost of one operation, or of one idle second. */
export interface Cost {
  /** Microseconds of processor time: user and system, all threads of the process. */
  readonly gateway: number;
  readonly worker: number;
  /** Microseconds of Redis' main thread, which limits a shard. */
  readonly redis: number;
  /** Bytes written to the append-only file. A replica gets as many. */
  readonly fileBytes: number;
  /** Bytes that Redis received and sent, without replicas. */
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

/** Bytes in Redis, unless the name says otherwise. */
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
  send: 'in a Cluster: to send it to a replica of the master',
  receive: 'in a Cluster: for that replica, to receive it',
} as const;

export type Named<Names, Value> = { readonly [Name in keyof Names]: Value };

/** The measurements in bench/results/capacity.json. */
export interface Figures {
  readonly date: string;
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly operations: Named<typeof operations, Cost>;
  readonly idle: Named<typeof idlers, Cost>;
  readonly sizes: Named<typeof sizes, number>;
  readonly publications: Named<typeof publications, number>;
}

type Words = Readonly<Record<string, string>>;
const words = (names: Words, name: string): string => names[name] ?? name;

/** Writes the figures into the page. @throws {Error} it has no section for them */
export function withTables(page: string, { date, conditions, ...figures }: Figures): string {
  const kept = Object.entries(figures.sizes).map(([name, size]) => [words(sizes, name), bytes(size)]);
  const published = Object.entries(figures.publications).map(([name, micros]) => [
    `a published message of 300 B, ${words(publications, name)}`,
    `${micros} µs`,
  ]);
  const tables = [
    `**Measured** on ${date}\n(${inWords(conditions)}).\nMicroseconds of processor time per operation:`,
    costTable('operation', figures.operations, operations),
    '**Measured**: microseconds of processor time per idle second:',
    costTable('idle', figures.idle, idlers),
    '**Measured**: memory, and the additional cost of a published event in Redis:',
    markdownTable(['what', 'each'], [...kept, ...published]),
  ];
  return withSection(page, 'measured', tables.join('\n\n'));
}

/** Less than half a microsecond, one byte or one message in 200 is noise. */
function costTable(what: string, costs: Readonly<Record<string, Cost>>, names: Words): string {
  const from = <T>(least: number, value: number, shown: (value: number) => T) =>
    value < least ? undefined : shown(value);
  const rows = Object.entries(costs).map(([name, { gateway, worker, redis, fileBytes, netBytes, published }]) => [
    words(names, name),
    ...[gateway, worker, redis].map((micros) => from(0.5, micros, Number)),
    ...[fileBytes, netBytes].map((count) => from(1, count, bytes)),
    from(0.005, published, Number),
  ]);
  const columns = ['gateway', 'worker', 'Redis', 'to the append-only file', 'over the network', 'messages published'];
  return markdownTable([what, ...columns], rows);
}

/** Bytes in the unit that leaves at most three digits. */
function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  return `${number(count / 1_000 ** power)} ${units[power]}`;
}
