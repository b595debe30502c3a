import type { Inspection } from '@switchyard/store';
import { DatabaseError } from 'pg';
import type { Statement } from './statement.ts';

/** A row of `inspectStatement`. */
export interface InspectedRow {
  readonly id: string;
  readonly deleted: boolean;
  /** Null: the row lacks something. */
  readonly fingerprint: string | null;
  readonly row_json: string | null;
  readonly detail_json: string | null;
  readonly origin_json: string | null;
}

/** PostgreSQL computes what `fingerprintOf` of the store does, so that contents do not travel. */
export function inspectStatement(table: string, ids: readonly string[]): Statement {
  const facts = ['owner', 'context', 'letter', 'time', 'ended_at', 'version', 'answered::text', 'head', 'artifacts'];
  const texts = [...facts, "array_to_string(history, E'\\x1e')", 'tail'];
  return {
    text: `
      SELECT id, deleted_at IS NOT NULL AS deleted, row_json, detail_json, origin_json,
        encode(sha256(convert_to(${texts.join(" || E'\\x1e' || ")}, 'UTF8')), 'hex') AS fingerprint
      FROM ${table} WHERE id = ANY($1::text[])`,
    values: [ids],
  };
}

export function inspectionOf({ deleted, fingerprint, row_json, detail_json, origin_json }: InspectedRow): Inspection {
  if (deleted) return 'deleted';
  // Without the page of operators, '' stands for it.
  const isReadable = [row_json, detail_json || '{}', origin_json].every(isJson);
  return fingerprint !== null && isReadable ? { fingerprint } : 'unreadable';
}

function isJson(text: string | null): boolean {
  try {
    return typeof JSON.parse(text ?? '') === 'object';
  } catch {
    return false;
  }
}

/** Whether PostgreSQL answers, and cannot read a row: a file of it is damaged. */
export function isDamage({ cause }: Error): boolean {
  return cause instanceof DatabaseError && cause.code?.startsWith('XX') === true;
}
