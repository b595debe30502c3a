import { createHash } from 'node:crypto';
import type { ArchivedTask } from './task-archive.ts';

/** JSON never has this character, nor has an id, an owner or a time. */
const SEPARATOR = '\x1e';

/** Differs if anything differs that clients read of a task. A database can compute the same: SHA-256, in hex. */
export function fingerprintOf(task: Omit<ArchivedTask, 'id' | 'agent' | 'row' | 'detail' | 'origin'>): string {
  const { owner, context, letter, time, endedAt, version, answered, json } = task;
  const hash = createHash('sha256');
  for (const text of [owner, context, letter, time, endedAt, version, String(answered), json.head, json.artifacts])
    hash.update(text).update(SEPARATOR);
  return hash.update(json.history.join(SEPARATOR)).update(SEPARATOR).update(json.tail).digest('hex');
}
