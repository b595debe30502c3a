import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../redis/connection.ts';
import { integer } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import type { StoreSettings } from '../redis/settings.ts';
import { decodePageToken, encodePageToken } from '../tasks/list/page.ts';
import type { AuditAction, AuditEvent } from './audit-event.ts';

const writeAuditScript = defineScript({
  file: 'write-audit.lua',
  from: import.meta.url,
  keys: ['trail'],
  args: ['batch', 'count', 'events', 'limit', 'keptMs'],
  reply: integer,
});

export interface AuditQuery {
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
  readonly what?: AuditAction | undefined;
  /** Events with exactly this value, for each filter. Unset: any. */
  readonly tenant?: string | undefined;
  readonly subject?: string | undefined;
  readonly credential?: string | undefined;
  readonly object?: string | undefined;
  readonly outcome?: string | undefined;
  /** In ms since 1970; unset: all events that are kept. */
  readonly sinceMs?: number | undefined;
}

export interface AuditPage {
  /** Latest first. Fewer than requested if many others had to be read. */
  readonly items: readonly AuditEvent[];
  /** '' after the last page. */
  readonly nextPageToken: string;
}

/** Entries of the stream in one read. */
const READ_AT_ONCE = 50;
/** Events that are read for one page at most. */
const MAX_SCANNED = 20_000;
const filteredBy = ['what', 'tenant', 'subject', 'credential', 'object', 'outcome'] as const;
/** The position before all events. */
const NEWEST = '+ 0';

/** The audit trail for operators: who did what. Events are kept for a time. */
export class AuditTrail {
  readonly #redis: RedisConnection;
  readonly #settings: StoreSettings;
  readonly #key: string;

  constructor(redis: RedisConnection, settings: StoreSettings) {
    this.#redis = redis;
    this.#settings = settings;
    this.#key = `${settings.prefix}{agents}:audit`;
  }

  /** Writes all events in one step, or none. Rejects if Redis is unreachable. */
  async write(events: readonly AuditEvent[]): Promise<void> {
    const { maxAuditEvents: limit, auditRetentionMs: keptMs } = this.#settings;
    await writeAuditScript.run(this.#redis, {
      keys: { trail: this.#key },
      args: { batch: randomUUID(), count: events.length, events: JSON.stringify(events), limit, keptMs },
    });
  }

  /** @throws {InvalidPageToken} */
  async list(query: AuditQuery): Promise<AuditPage> {
    const { sinceMs = 0, pageSize, pageToken } = query;
    const filters = ['audit', ...filteredBy.map((name) => query[name]), sinceMs];
    const oldestMs = Math.max(sinceMs, Date.now() - this.#settings.auditRetentionMs);
    const items: AuditEvent[] = [];
    let last = decodePageToken(pageToken, filters) ?? NEWEST;
    let scanned = 0;
    for await (const { event, position } of this.#eventsBefore(last, oldestMs)) {
      if (items.length === pageSize || scanned++ === MAX_SCANNED)
        return { items, nextPageToken: encodePageToken(last, filters) };
      last = position;
      if (isWanted(event, query)) items.push(event);
    }
    return { items, nextPageToken: '' };
  }

  /** Latest first. A position is the id of an entry, and how many of its events were yielded already. */
  async *#eventsBefore(position: string, oldestMs: number): AsyncGenerator<{ event: AuditEvent; position: string }> {
    let [from = '', skipped] = position.split(' ');
    for (;;) {
      const entries = await this.#redis.xrevrange(this.#key, from, oldestMs, 'COUNT', READ_AT_ONCE);
      for (const [id, fields] of entries) {
        const first = id === from ? Number(skipped) : 0;
        for (const [n, event] of eventsOf(fields).entries())
          if (n >= first) yield { event, position: `${id} ${n + 1}` };
        [from, skipped] = [id, String(Number.MAX_SAFE_INTEGER)];
      }
      if (entries.length < READ_AT_ONCE) return;
    }
  }
}

/** Latest first. */
function eventsOf(fields: readonly string[]): AuditEvent[] {
  return (JSON.parse(fields[5] ?? '[]') as AuditEvent[]).reverse();
}

function isWanted(event: AuditEvent, query: AuditQuery): boolean {
  return filteredBy.every((name) => query[name] === undefined || query[name] === event[name]);
}
