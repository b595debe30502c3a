import { isObject, type JsonObject } from './mend.ts';

/** Metadata of an event that continues an artifact: the SDK's translator of 0.3 over HTTP+JSON loses its `append`. */
const appendKey = 'switchyard.append';

/** A result of 0.3 over HTTP+JSON, whose `append` survives the translation. */
export function withAppendMark(result: JsonObject): JsonObject {
  const update = result.artifactUpdate ?? result.artifact_update;
  if (!isObject(update) || update.append !== true) return result;
  const metadata = { ...(isObject(update.metadata) && update.metadata), [appendKey]: true };
  return { artifactUpdate: { ...update, metadata } };
}

/** Whether the metadata of an event has the mark. */
export function hasAppendMark(metadata: Readonly<Record<string, unknown>> = {}): boolean {
  return metadata[appendKey] === true;
}

/** The metadata without the mark. */
export function withoutAppendMark(metadata: Readonly<Record<string, unknown>>): JsonObject {
  const { [appendKey]: _, ...others } = metadata;
  return others;
}
