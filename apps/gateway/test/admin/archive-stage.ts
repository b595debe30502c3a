import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { Ops } from '@switchyard/operators';
import type { Scope } from '@switchyard/store';
import { sortableTime } from '@switchyard/store/inside';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../../tests/support/postgres.ts';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { accepted, begun, userMessage } from '../../../../tests/support/store/drive.ts';
import { until } from '../../../../tests/support/until.ts';
import { type AdminStage, openAdminStage } from './support.ts';

export const neverAborted = new AbortController().signal;
const SHARDS = 2;

/**
 * A gateway with an operators' port and an archive, of each test of a `describe`; they share a PostgreSQL. It is as much
 * as a worker does, without one: tasks are copied when a test says so.
 */
export class ArchiveStage {
  readonly postgres: TestPostgres;
  readonly archive: PostgresArchive;
  readonly admin: AdminStage;
  readonly redis: Redis;
  /** Of all keys in Redis; also the schema in PostgreSQL. */
  readonly prefix: string;

  constructor(parts: Pick<ArchiveStage, 'postgres' | 'archive' | 'admin' | 'redis' | 'prefix'>) {
    this.postgres = parts.postgres;
    this.archive = parts.archive;
    this.admin = parts.admin;
    this.redis = parts.redis;
    this.prefix = parts.prefix;
  }

  /** An accepted task that nobody has begun. */
  async open(scope: Scope, text = 'hello'): Promise<string> {
    return (await accepted(this.admin.store, scope, userMessage(text))).taskId;
  }

  async end(taskId: string, text = 'done'): Promise<void> {
    const turn = await begun(this.admin.store, taskId);
    const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text }] };
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', message, settles: true });
  }

  async ended(scope: Scope, text?: string): Promise<string> {
    const taskId = await this.open(scope, text);
    await this.end(taskId);
    return taskId;
  }

  /** As a worker does, of tasks that ended before this call. */
  copy() {
    return new Ops(this.admin.store).archiver?.run({ afterMs: 1, everyMs: 1, signal: neverAborted });
  }

  /** Waits until these tasks are copied, and all others of all shards that ended before this call. */
  async copied(...ids: string[]): Promise<void> {
    const now = sortableTime(new Date().toISOString());
    const areThere = async () => {
      await this.copy();
      const keys = await this.redis.keys(`${this.prefix}*outbox:archived`);
      const cursors = await Promise.all(keys.map((each) => this.redis.get(each)));
      const areDone = cursors.filter((cursor) => (cursor ?? '') > now).length === SHARDS;
      return areDone && (await this.archive.existing(ids)).size === ids.length;
    };
    await until(areThere, { what: 'they are copied' });
  }

  /** A connection of its own to PostgreSQL. */
  async connect(): Promise<Client> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    return client;
  }

  async sql(text: string): Promise<void> {
    const client = await this.connect();
    await client.query(text).finally(() => client.end());
  }
}

/** @returns gives that of the test that runs */
export function useArchiveStage(): () => ArchiveStage {
  let postgres: TestPostgres;
  let stage: ArchiveStage;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());
  beforeEach(async () => {
    const prefix = uniquePrefix();
    const settings = { url: postgres.url, schema: prefix, onError: () => undefined, timeoutMs: 2_000 };
    const archive = new PostgresArchive(settings);
    const admin = await openAdminStage({ shards: SHARDS, prefix }, { archive });
    const redis = new Redis(inject('redisUrl'));
    stage = new ArchiveStage({ postgres, archive, admin, redis, prefix });
    return async () => {
      await admin[Symbol.asyncDispose]();
      await archive.stop();
      redis.disconnect();
    };
  });
  return () => stage;
}
