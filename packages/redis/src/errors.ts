/** A Cluster has not executed the command: its slot moves, is at another master, or at none. */
const REDIRECTIONS: ReadonlySet<string> = new Set(['MOVED', 'ASK', 'TRYAGAIN', 'CLUSTERDOWN']);
/** Other temporary errors of Redis, and errors of ioredis without Redis. Up to 6.2, refused scripts have a prefix. */
const REDIS_OUTAGES: ReadonlySet<string> = new Set([
  ...['OOM', 'LOADING', 'READONLY', 'MISCONF', 'NOREPLICAS', 'MASTERDOWN', 'BUSY'],
  ...['UNBLOCKED', 'WRONGPASS', 'NOAUTH', 'NOPERM'],
]);
/** Beginnings of the messages of ioredis. */
const CONNECTION_OUTAGES: readonly string[] = [
  'Connection is closed',
  "Stream isn't writeable",
  'Command aborted due to connection close',
  'Command timed out',
  'None of startup nodes',
  'Failed to refresh slots cache',
  'Too many Cluster redirections',
  'connect ETIMEDOUT',
];
const SOCKET_OUTAGE = /\bE(?:CONN(?:REFUSED|RESET)|PIPE)\b/;

/** The first word of an error of Redis. */
function codeOf(message: string): string {
  const reply = message.startsWith('ERR Error running script')
    ? message.slice(message.lastIndexOf(': -') + 3)
    : message;
  const [code = ''] = /^[A-Z]+\b/.exec(reply) ?? [];
  return code;
}

function isOutageText(message: string): boolean {
  const code = codeOf(message);
  const isOfConnection = CONNECTION_OUTAGES.some((beginning) => message.startsWith(beginning));
  return REDIS_OUTAGES.has(code) || REDIRECTIONS.has(code) || isOfConnection || SOCKET_OUTAGE.test(message);
}

/** What failed for a time, and may succeed when it is repeated. */
export class Outage extends Error {}

/** Too few replicas confirmed a write (WAIT_REPLICAS). It may be stored nevertheless. */
export class NotReplicated extends Outage {
  override readonly name = 'NotReplicated';

  constructor(confirmed: number, wanted: number) {
    super(`${confirmed} of ${wanted} replicas have confirmed the write.`);
  }
}

/** Redis is unreachable, and the caller does not wait: nothing was sent. */
export class RedisUnavailable extends Outage {
  override readonly name = 'RedisUnavailable';

  constructor() {
    super('Redis does not answer.');
  }
}

/** The keys of a slot of a Cluster are not all at one master: they cannot be listed. */
export class SlotMoves extends Outage {
  override readonly name = 'SlotMoves';

  constructor(options?: ErrorOptions) {
    super('A slot of the Cluster moves to another master.', options);
  }
}

/** A Cluster names no master of a slot, as during a fail-over: its keys cannot be listed. */
export class MasterUnknown extends Outage {
  override readonly name = 'MasterUnknown';

  constructor() {
    super('The Cluster names no master for one of its slots at the moment.');
  }
}

/** Whether the error is an outage, or a temporary error of Redis: the same command may succeed later. */
export function isOutage(error: unknown): boolean {
  return error instanceof Outage || (error instanceof Error && isOutageText(error.message));
}

/** Whether a Cluster refused the command because of its slot: nothing was executed. */
export function isRedirected(error: unknown): boolean {
  return error instanceof Error && REDIRECTIONS.has(codeOf(error.message));
}

/** Whether Redis refused a write because it uses all its memory (maxmemory). */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && codeOf(error.message) === 'OOM';
}

/** Whether a command had no reply within its deadline. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Command timed out';

/** Whether an ACL forbids the command. */
export const isForbidden = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOPERM');

/** A thrown value as an error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** A program cannot work with this Redis, or with its settings for it; the message says what to change. */
export class RedisUnusable extends Error {
  override readonly name = 'RedisUnusable';
}

/** Redis does not answer a program that starts: it may come back. */
export class RedisUnreachable extends RedisUnusable {}
