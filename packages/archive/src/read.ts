import type { ArchivedReading, ArchiveView } from '@switchyard/store';
import { Parameters, type Statement } from './statement.ts';

/** A row of `readStatement`. */
export interface ReadRow extends Omit<ArchivedReading, 'task'> {
  readonly id: string;
  /** The whole JSON. */
  readonly json?: string;
}

/** The JSON is put together by PostgreSQL: what the view leaves out does not travel. */
export function readStatement(table: string, ids: readonly string[], view: ArchiveView): Statement {
  const parameters = new Parameters();
  const { contents, historyLength, includeArtifacts = true } = view;
  const hasHistory = historyLength !== 0;
  const bytes = ['octet_length(head)', 'octet_length(tail)'];
  if (includeArtifacts) bytes.push('octet_length(artifacts)');
  if (hasHistory) bytes.push('history_bytes');
  const json = (): string => {
    const history = hasHistory ? [historyJson(parameters, historyLength)] : [];
    return `, ${['head', ...(includeArtifacts ? ['artifacts'] : []), ...history, 'tail'].join(' || ')} AS json`;
  };
  const text = `
    SELECT id, owner, context, letter, version, answered::float8 AS answered, (${bytes.join(' + ')})::float8 AS bytes
      ${contents === 'all' ? json() : ''}
    FROM ${table} WHERE id = ANY(${parameters.add(ids)}::text[]) AND deleted_at IS NULL`;
  return { text, values: parameters.values };
}

function historyJson(parameters: Parameters, length: number | undefined): string {
  const latest =
    length === undefined ? '' : `[greatest(1, cardinality(history) - ${parameters.add(length)}::int + 1):]`;
  return `CASE WHEN cardinality(history) > 0
    THEN ',"history":[' || array_to_string(history${latest}, ',') || ']' ELSE '' END`;
}

export function readingOf({ id: _, json, ...known }: ReadRow): ArchivedReading {
  return json === undefined ? known : { ...known, task: [Buffer.from(json)] };
}
