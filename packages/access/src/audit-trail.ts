import { randomUUID } from 'node:crypto';
import { defineScript, integer, type RedisConnection } from '@switchyard/redis';
import type { StoreSettings } from '@switchyard/store';
import type { AuditEvent } from './audit-event.ts';

const writeAuditScript = defineScript({
  file: 'write-audit.lua',
  from: import.meta.url,
  keys: ['trail'],
  args: ['batch', 'count', 'events', 'limit', 'keptMs'],
  reply: integer,
});

/** The stream of audit events: each entry has those that were written in one step. */
export const auditKey = (prefix: string): string => `${prefix}{agents}:audit`;

/** Writes the audit trail: who did what. packages/operators reads it; events are kept for a time. */
export class AuditTrail {
  readonly #redis: RedisConnection;
  readonly #settings: StoreSettings;
  readonly #key: string;

  constructor({ redis, settings }: { readonly redis: RedisConnection; readonly settings: StoreSettings }) {
    this.#redis = redis;
    this.#settings = settings;
    this.#key = auditKey(settings.prefix);
  }

  /** Writes all events in one step, or none. Rejects if Redis is unreachable. */
  async write(events: readonly AuditEvent[]): Promise<void> {
    const { maxAuditEvents: limit, auditRetentionMs: keptMs } = this.#settings;
    await writeAuditScript.run(this.#redis, {
      keys: { trail: this.#key },
      args: { batch: randomUUID(), count: events.length, events: JSON.stringify(events), limit, keptMs },
    });
  }
}
