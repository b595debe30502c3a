import { A2AError, a2aErrorCodes, type HttpErrorBody, jsonRpcCodes, toHttpError } from '@switchyard/protocol';
import type { Request, Response } from 'express';
import { pythonClassOf } from './errors.ts';

// Where clients of 0.3 over REST expect other than the SDK's router does.

/** Answers with 200, as clients take any other status for an error, and with errors that all of them can read. */
export function speakRestDialect(res: Response): void {
  const [status, json] = [res.status.bind(res), res.json.bind(res)];
  res.status = (code) => status(code === 201 ? 200 : code);
  res.json = (body: unknown) => json(res.statusCode >= 400 && isLegacyError(body) ? legacyErrorBody(body) : body);
}

export interface LegacyError {
  readonly code: number;
  readonly message: string;
}

/**
 * Errors of 0.3 are bare: a JSON-RPC error without its envelope. `type` is the name of the error's class in the Python
 * SDK, which knows them by nothing else; the Go SDK reads `error`, which is that of 1.0.
 */
export function legacyErrorBody({
  code,
  message,
}: LegacyError): LegacyError & HttpErrorBody & { readonly type: string } {
  const ours = a2aErrorCodes.find((candidate) => jsonRpcCodes[candidate] === code) ?? 'Internal';
  const { error } = toHttpError(new A2AError(ours, message)).body;
  return { code, message, type: pythonClassOf(ours), error };
}

function isLegacyError(body: unknown): body is LegacyError {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}

/**
 * The config that a request to create one holds. The protobuf definition has `{parent, configId, config}`, which the
 * Python SDKs send; the JavaScript SDK sends the config alone, and its router reads no other.
 */
export function toPushConfigBody(req: Pick<Request, 'path'>, body: unknown): unknown {
  const taskId = /^\/v1\/tasks\/([^/]+)\/pushNotificationConfigs$/.exec(req.path)?.[1];
  if (taskId === undefined || !isRecord(body) || !isRecord(body.config)) return body;
  const { config } = body;
  const settings = config.pushNotificationConfig ?? config.push_notification_config;
  const id = body.configId ?? body.config_id ?? (isRecord(settings) ? settings.id : undefined);
  return { ...config, name: config.name || `tasks/${taskId}/pushNotificationConfigs/${id ?? ''}` };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
