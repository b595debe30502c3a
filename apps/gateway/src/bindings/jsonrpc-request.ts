import { type A2AError, type FieldViolation, invalidParams, wrongFields } from '@switchyard/protocol';
import { illFormedText } from '../exchange/read-json.ts';

/** A JSON-RPC 2.0 request (A2A 9.3), or its error. */
export type JsonRpcRequest<Method extends string> = {
  /** As JSON text, returned unchanged; `null` if there is none or it is unreadable. */
  readonly id: string;
  /** It has no id: it gets no answer, not even for an error. */
  readonly isNotification: boolean;
} & (JsonRpcInvocation<Method> | { readonly error: A2AError });

export interface JsonRpcInvocation<Method extends string> {
  readonly method: Method;
  readonly params: object;
  readonly error?: never;
}

/** A body, as text and parsed. */
export interface ReceivedJson {
  readonly text: string;
  readonly body: unknown;
}

/** Maximum length of its JSON text: every answer and every event of a stream repeats it. */
const longestId = 256;

/**
 * @param methods the served ones
 * @param older methods that are served to requests of A2A 0.3
 */
export function parseRequest<Method extends string>(
  { text, body }: ReceivedJson,
  methods: readonly Method[],
  older: readonly string[] = [],
): JsonRpcRequest<Method> {
  if (Array.isArray(body))
    return invalid('null', [{ field: 'body', description: 'must be a single request: batches are not supported' }]);
  if (typeof body !== 'object' || body === null)
    return invalid('null', [{ field: 'body', description: 'must be a JSON-RPC request' }]);
  const { jsonrpc, id, method, params }: Envelope = body;
  const idText = idJson(id, text);
  if (idText.length > longestId)
    return invalid('null', [{ field: 'id', description: `must have at most ${longestId} characters` }]);
  const violations = violationsOf({ jsonrpc, id, method });
  if (violations.length > 0) return invalid(idText, violations);
  if (typeof id === 'string' && !id.isWellFormed())
    return invalid('null', [{ field: 'id', description: 'must be valid Unicode' }]);
  const illFormed = illFormedText(params, text);
  if (illFormed.length > 0) return { id: idText, isNotification: id === undefined, error: invalidParams(illFormed) };
  return { id: idText, isNotification: id === undefined, ...invocation({ methods, older }, method, params) };
}

/** `params` with a changed configuration, if they can have one; unreadable ones are refused later. */
export function configured(params: object, changes: object): object {
  const { configuration = {} } = params as { readonly configuration?: unknown };
  const isReadable = typeof configuration === 'object' && configuration !== null;
  return isReadable ? { ...params, configuration: { ...configuration, ...changes } } : params;
}

interface Envelope {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

function violationsOf({ jsonrpc, id, method }: Envelope): FieldViolation[] {
  return [
    ...(jsonrpc === '2.0' ? [] : [{ field: 'jsonrpc', description: 'must be "2.0"' }]),
    ...(id === undefined || isId(id) ? [] : [{ field: 'id', description: 'must be a string, a number or null' }]),
    ...(typeof method === 'string' ? [] : [{ field: 'method', description: 'must be a string' }]),
  ];
}

function invalid(id: string, violations: readonly FieldViolation[]): JsonRpcRequest<never> {
  return {
    id,
    isNotification: false,
    error: wrongFields('InvalidRequest', 'Request payload validation error', violations),
  };
}

interface Methods<Method extends string> {
  readonly methods: readonly Method[];
  readonly older: readonly string[];
}

function invocation<Method extends string>(
  { methods, older }: Methods<Method>,
  name: unknown,
  params: unknown,
): JsonRpcInvocation<Method> | { readonly error: A2AError } {
  const method = methods.find((candidate) => candidate === name);
  if (method === undefined)
    return {
      error: methodNotFound(
        methods,
        older.find((each) => each === name),
      ),
    };
  return isParams(params)
    ? { method, params: params ?? {} }
    : { error: invalidParams([{ field: 'params', description: 'must be an object' }]) };
}

/** The original text: JavaScript numbers cannot hold integers beyond 2^53. */
function idJson(id: unknown, text: string): string {
  if (!isId(id)) return 'null';
  return typeof id === 'number' && !Number.isSafeInteger(id) ? numberText(text) : JSON.stringify(id);
}

/** The text of the `id` of the outermost object. */
function numberText(text: string): string {
  const sources = new Map<unknown, string>();
  const body: unknown = JSON.parse(text, function (this: unknown, key, value, context?: { readonly source?: string }) {
    if (key === 'id' && context?.source !== undefined) sources.set(this, context.source);
    return value;
  });
  return sources.get(body) ?? 'null';
}

function isId(id: unknown): id is string | number | null {
  return id === null || typeof id === 'string' || typeof id === 'number';
}

/** A2A has only named parameters. */
function isParams(params: unknown): params is object | null | undefined {
  return params === undefined || (typeof params === 'object' && !Array.isArray(params));
}

/** @param older the named method, if it is of A2A 0.3 */
function methodNotFound(methods: readonly string[], older: string | undefined): A2AError {
  const hint = older === undefined ? '' : `; ${older} is of A2A 0.3, with A2A-Version 0.3 or none`;
  const description = `must be one of ${methods.join(', ')}${hint}`;
  return wrongFields('MethodNotFound', 'Method not found', [{ field: 'method', description }]);
}
