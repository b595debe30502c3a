import { LRUCache } from 'lru-cache';

/** Errors of Redis that pass (up to 6.2 they begin otherwise if a script was refused), and of ioredis without Redis. */
const REDIS_OUTAGE =
  /^(?:OOM|LOADING|READONLY|MISCONF|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|UNBLOCKED|WRONGPASS|NOAUTH|NOPERM)\b/;
const CONNECTION_OUTAGE =
  /^(?:Connection is closed|Stream isn't writeable|Command aborted due to connection close|Command timed out|None of startup nodes|Failed to refresh slots cache|Too many Cluster redirections|connect ETIMEDOUT)/;
const SOCKET_OUTAGE = /\bE(?:CONN(?:REFUSED|RESET)|PIPE)\b/;

function isOutageText(message: string): boolean {
  const reply = message.startsWith('ERR Error running script')
    ? message.slice(message.lastIndexOf(': -') + 3)
    : message;
  return REDIS_OUTAGE.test(reply) || CONNECTION_OUTAGE.test(message) || SOCKET_OUTAGE.test(message);
}

/** A fail-over lost acknowledged events of this turn: later ones must not build on them. */
export class WritesLost extends Error {
  override readonly name = 'WritesLost';

  constructor() {
    super('Redis lost earlier events of this turn in a fail-over.');
  }
}

/** Too few replicas confirmed a write (WAIT_REPLICAS). It may be stored nevertheless. */
export class NotReplicated extends Error {
  override readonly name = 'NotReplicated';

  constructor(confirmed: number, wanted: number) {
    super(`${confirmed} of ${wanted} replicas have confirmed the write.`);
  }
}

/** Redis is unreachable, and the caller does not wait: nothing was sent. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';

  constructor() {
    super('Redis does not answer.');
  }
}

/** Whether the error is Redis' own and passes: the same command may succeed later. */
export function isOutage(error: unknown): boolean {
  return (
    error instanceof WritesLost ||
    error instanceof NotReplicated ||
    error instanceof RedisAway ||
    (error instanceof Error && isOutageText(error.message))
  );
}

/** Whether a command had no reply within its deadline. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Command timed out';

/** The store cannot work with its settings; the message says what to change. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** The fields of an error that may be logged. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | number;
  readonly cause?: ErrorFields | string;
}

/** The arguments that Redis repeats in its error for an unknown command. */
const REPEATED_ARGUMENTS = /with args beginning with:[^\n]*/g;

/**
 * An error as fields of a log line. No others: ioredis puts the command on its errors, with passwords and messages of
 * clients.
 */
export function errorFields(error: unknown): ErrorFields | string {
  if (!(error instanceof Error)) return withoutArguments(String(error));
  const { name, message, stack, cause } = error;
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') && error.code;
  return {
    type: name,
    message: withoutArguments(message),
    stack: stack && withoutArguments(stack),
    ...(code !== false && { code }),
    ...(cause !== undefined && { cause: errorFields(cause) }),
  };
}

const withoutArguments = (text: string): string => text.replace(REPEATED_ARGUMENTS, 'with args left out');

const INTERVAL_MS = 10_000;
/** More different messages than an outage has. */
const MOST_MESSAGES = 100;

/** Limits log lines about connections: in an outage each connection repeats its error several times a second. */
export class ErrorThrottle {
  readonly #recent = new LRUCache<string, true>({ max: MOST_MESSAGES, ttl: INTERVAL_MS });

  /** True once per message in 10 s. */
  isDue(error: unknown): boolean {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#recent.has(message)) return false;
    this.#recent.set(message, true);
    return true;
  }
}
