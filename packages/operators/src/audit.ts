import { type AuditAction, type AuditEvent, auditKey } from '@switchyard/access';
import { decodePageToken, encodePageToken } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';

type AuditDependencies = Pick<OperatorDependencies, 'redis' | 'settings'>;

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

/** @throws {InvalidPageToken} */
export async function readAudit(dependencies: AuditDependencies, query: AuditQuery): Promise<AuditPage> {
  const { sinceMs = 0, pageSize, pageToken } = query;
  const filters = ['audit', ...filteredBy.map((name) => query[name]), sinceMs];
  const oldestMs = Math.max(sinceMs, Date.now() - dependencies.settings.auditRetentionMs);
  const items: AuditEvent[] = [];
  let last = decodePageToken(pageToken, filters) ?? NEWEST;
  let scanned = 0;
  for await (const { event, position } of eventsBefore(dependencies, last, oldestMs)) {
    if (items.length === pageSize || scanned++ === MAX_SCANNED)
      return { items, nextPageToken: encodePageToken(last, filters) };
    last = position;
    if (isWanted(event, query)) items.push(event);
  }
  return { items, nextPageToken: '' };
}

/** Latest first. A position is the id of an entry, and how many of its events were yielded already. */
async function* eventsBefore(
  { redis, settings: { prefix } }: AuditDependencies,
  position: string,
  oldestMs: number,
): AsyncGenerator<{ event: AuditEvent; position: string }> {
  let [from = '', skipped] = position.split(' ');
  for (;;) {
    const entries = await redis.xrevrange(auditKey(prefix), from, oldestMs, 'COUNT', READ_AT_ONCE);
    for (const [id, fields] of entries) {
      const first = id === from ? Number(skipped) : 0;
      for (const [n, event] of eventsOf(fields).entries()) if (n >= first) yield { event, position: `${id} ${n + 1}` };
      [from, skipped] = [id, String(Number.MAX_SAFE_INTEGER)];
    }
    if (entries.length < READ_AT_ONCE) return;
  }
}

/** Latest first. */
function eventsOf(fields: readonly string[]): AuditEvent[] {
  return (JSON.parse(fields[5] ?? '[]') as AuditEvent[]).reverse();
}

function isWanted(event: AuditEvent, query: AuditQuery): boolean {
  return filteredBy.every((name) => query[name] === undefined || query[name] === event[name]);
}
