/**
 * What Redis says when it cannot take commands just now (up to 6.2 with much before it, if a script was refused), and
 * ioredis when there is no Redis.
 */
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

/**
 * Redis acknowledged events of this turn and then lost them in a fail-over. What comes next would build on what is not
 * there.
 */
export class WritesLost extends Error {
  override readonly name = 'WritesLost';

  constructor() {
    super('Redis lost earlier events of this turn in a fail-over.');
  }
}

/**
 * Too few replicas have confirmed a write that was to be confirmed (WAIT_REPLICAS). It may have been made all the same.
 */
export class NotReplicated extends Error {
  override readonly name = 'NotReplicated';

  constructor(confirmed: number, wanted: number) {
    super(`${confirmed} of ${wanted} replicas have confirmed the write.`);
  }
}

/** Redis is known not to answer, and the caller is one that does not wait: nothing was sent. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';

  constructor() {
    super('Redis does not answer.');
  }
}

/**
 * Whether the fault is Redis' own state, which passes: the same command may succeed later, and nobody here did wrong.
 */
export function isOutage(error: unknown): boolean {
  return (
    error instanceof WritesLost ||
    error instanceof NotReplicated ||
    error instanceof RedisAway ||
    (error instanceof Error && isOutageText(error.message))
  );
}
