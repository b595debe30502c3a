import { randomUUID } from 'node:crypto';

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A result of A2A 0.3 over JSON-RPC (a task, message or event), with what the SDK's translator requires: `kind`, lists,
 * ids. Undefined: it is of an unknown kind.
 */
export function mendedV03(result: unknown): JsonObject | undefined {
  if (!isObject(result)) return undefined;
  const kind = result.kind ?? kindOf(result);
  switch (kind) {
    case 'message':
      return message(result);
    case 'task':
      return { ...task(result), kind };
    case 'status-update':
      return { ...result, kind, status: status(result.status) };
    case 'artifact-update':
      return { ...result, kind, artifact: artifact(isObject(result.artifact) ? result.artifact : {}) };
    default:
      return undefined;
  }
}

function kindOf(result: JsonObject): string | undefined {
  if ('artifact' in result) return 'artifact-update';
  if ('status' in result) return 'taskId' in result ? 'status-update' : 'task';
  return 'parts' in result ? 'message' : undefined;
}

function task(value: JsonObject): JsonObject {
  return {
    ...value,
    status: status(value.status),
    artifacts: objectsIn(value.artifacts).map(artifact),
    history: objectsIn(value.history).map(message),
  };
}

function status(value: unknown): JsonObject {
  if (!isObject(value)) return { state: 'unknown' };
  return isObject(value.message) ? { ...value, message: message(value.message) } : value;
}

function message(value: JsonObject): JsonObject {
  const { messageId, role, parts } = value;
  return {
    ...value,
    kind: 'message',
    messageId: typeof messageId === 'string' && messageId ? messageId : randomUUID(),
    role: role === 'user' ? 'user' : 'agent',
    parts: objectsIn(parts).flatMap(part),
  };
}

function artifact(value: JsonObject): JsonObject {
  return { ...value, parts: objectsIn(value.parts).flatMap(part) };
}

/** The part, or none if its kind is unknown. Before 0.2.5 the kind of a part was its `type`. */
function part(value: JsonObject): JsonObject[] {
  const kind = value.kind ?? value.type ?? ['text', 'file', 'data'].find((name) => name in value);
  if (kind === 'text') return [{ ...value, kind, text: String(value.text ?? '') }];
  if (kind === 'data' && 'data' in value) return [{ ...value, kind }];
  const { file } = value;
  const isFile = kind === 'file' && isObject(file) && (typeof file.bytes === 'string' || typeof file.uri === 'string');
  return isFile ? [{ ...value, kind }] : [];
}

function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
