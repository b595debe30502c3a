import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientBase, DatabaseError, Pool } from 'pg';
import type { Statement } from './statement.ts';
import { type Asked, unavailable } from './unavailable.ts';

export interface DatabaseSettings {
  readonly url: string;
  readonly timeoutMs: number;
  readonly maxConnections: number;
  /** Memory of a statement, as PostgreSQL writes it. Default: that of the server. */
  readonly workMemory?: string;
  readonly onError: (error: Error) => void;
}

type Ask = <Row extends object>(statement: Statement) => Promise<readonly Row[]>;

/** PostgreSQL ends a statement that takes too long. If it has not after this time, it does not react. */
const REACTION_MS = 500;
/** Time that PostgreSQL has to close its connections. */
const GOODBYE_MS = 1_000;
/** Each takes PostgreSQL a second to see. */
const MAX_DEADLOCKS = 10;
/** Of PostgreSQL. */
const DEADLOCK = '40P01';

/** Connections to a PostgreSQL. Every error is an `ArchiveUnavailable`. */
export class Database {
  readonly #pool: Pool;
  readonly #asked: Asked;
  readonly #timeoutMs: number;
  readonly #sockets = new Set<Socket>();
  #stopped: Promise<void> | undefined;

  /** @throws {Error} the URL cannot be read */
  constructor({ url, timeoutMs, maxConnections, workMemory, onError }: DatabaseSettings) {
    this.#timeoutMs = timeoutMs;
    this.#asked = askedOf(url);
    this.#pool = new Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs + REACTION_MS,
      keepAlive: true,
      fallback_application_name: 'switchyard',
      stream: () => this.#openSocket(),
      onConnect: (client) => prepare(client, timeoutMs, workMemory),
    });
    this.#pool.on('error', (error) => {
      // The pool adds all of a connection, which would be logged.
      Reflect.deleteProperty(error, 'client');
      onError(unavailable(error, this.#asked));
    });
  }

  async query<Row extends object>({ text, values = [] }: Statement): Promise<readonly Row[]> {
    try {
      return await despiteDeadlocks(async () => (await this.#pool.query<Row>({ text, values: [...values] })).rows);
    } catch (error) {
      throw unavailable(error, this.#asked);
    }
  }

  /**
   * Runs statements, of which all or none have an effect, maybe several times.
   * @param timeoutMs of each of them
   */
  async transaction(timeoutMs: number, run: (query: Ask) => Promise<void>): Promise<void> {
    try {
      await despiteDeadlocks(() => this.#transaction(timeoutMs, run));
    } catch (error) {
      throw unavailable(error, this.#asked);
    }
  }

  async #transaction(timeoutMs: number, run: (query: Ask) => Promise<void>): Promise<void> {
    const client = await this.#pool.connect();
    // If the connection breaks, the statement fails. The client says so, too, which would end the process.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    const query: Ask = async <Row extends object>({ text, values = [] }: Statement): Promise<readonly Row[]> => {
      const statement = { text, values: [...values], query_timeout: timeoutMs + REACTION_MS };
      return (await client.query<Row>(statement)).rows;
    };
    // Others would wait for the locks of a program that freezes, or that nobody reaches any more.
    const idleMs = Math.ceil(this.#timeoutMs / 2);
    const limits = [`statement_timeout = ${timeoutMs}`, `idle_in_transaction_session_timeout = ${idleMs}`];
    try {
      await query({ text: 'BEGIN' });
      await query({ text: limits.map((limit) => `SET LOCAL ${limit}`).join('; ') });
      await run(query);
      await query({ text: 'COMMIT' });
      client.off('error', ignore);
      client.release();
    } catch (error) {
      // The server rolls back what the end of a connection leaves open.
      client.release(true);
      throw error;
    }
  }

  /** Idempotent. Connections to a server that does not react are cut. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    // Statements that run may end.
    await within(this.#timeoutMs, this.#pool.end());
    const closed = Array.from(this.#sockets, (socket) => once(socket, 'close'));
    await within(GOODBYE_MS, Promise.all(closed));
    for (const socket of this.#sockets) socket.destroy();
  }

  #openSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }
}

/**
 * A statement that adds tasks and changes others locks the counts of the ones, then those of the others. Two of them may
 * wait for each other: PostgreSQL ends one, without any effect, and that one runs again.
 */
async function despiteDeadlocks<T>(run: () => Promise<T>): Promise<T> {
  for (let deadlocks = 0; ; deadlocks += 1)
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== DEADLOCK || deadlocks === MAX_DEADLOCKS) throw error;
    }
}

/**
 * Not as parameters of the connection, which poolers such as PgBouncer refuse. Compiling a statement (JIT) takes longer
 * than any of ours runs.
 */
async function prepare(client: ClientBase, timeoutMs: number, workMemory?: string): Promise<void> {
  const settings = [
    `statement_timeout = ${timeoutMs}`,
    'jit = off',
    // PostgreSQL tells of each word that is too long to be found.
    'client_min_messages = warning',
    ...(workMemory === undefined ? [] : [`work_mem = '${workMemory}'`]),
  ];
  await client.query(settings.map((setting) => `SET ${setting}`).join('; '));
}

/** Waits for what may never come. */
async function within(ms: number, wanted: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const time = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([wanted, time]).finally(() => over.abort());
}

function askedOf(url: string): Asked {
  try {
    const { host, port, user = '', database = '' } = new Client({ connectionString: url });
    return { host, port, user, database };
  } catch (error) {
    // Other errors name the URL, and that has a password.
    if (error instanceof Error && 'path' in error)
      throw new Error(`ARCHIVE_URL names a file that cannot be read: ${error.path}`);
    throw new Error('ARCHIVE_URL cannot be read: a password or name in it may need URI-encoding');
  }
}
