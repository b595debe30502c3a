import { A2AError } from '@switchyard/protocol';
import { pathPart, queryText, type RoutedRequest } from '../../exchange/exchange.ts';

/** Where the parameters of an operation are in its HTTP request (A2A 11.3, 11.5). */
export interface RequestShape {
  /** Names of the request's fields that are parts of the path. */
  readonly inPath?: readonly string[];
  /** Fields that are query parameters, with their types: a query has only text. */
  readonly inQuery?: Readonly<Record<string, QueryType>>;
  /** The other fields are the members of the body. */
  readonly hasBody?: boolean;
}

export type QueryType = 'text' | 'number' | 'boolean';

/** The operation's request as one object, unchecked. @throws {A2AError} InvalidRequest */
export function parseRequest(req: RoutedRequest, shape: RequestShape, body: unknown): Record<string, unknown> {
  return {
    ...members(body),
    ...fromQuery(req, shape.inQuery ?? {}),
    ...fromPath(req, [...(shape.inPath ?? []), 'tenant']),
  };
}

function members(body: unknown): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new A2AError('InvalidRequest', 'Request payload validation error', {
    violations: [{ field: 'body', description: 'must be a JSON object' }],
  });
}

function fromPath(req: RoutedRequest, names: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const part = pathPart(req, name);
    if (part !== undefined) fields[name] = part;
  }
  return fields;
}

function fromQuery(req: RoutedRequest, types: Readonly<Record<string, QueryType>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(req.query)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    const text = type && queryText(req, name);
    if (type && text !== undefined) fields[name] = readers[type](text);
  }
  return fields;
}

/** What cannot be read stays text: the check of the request says what is wrong about it. */
const readers: Readonly<Record<QueryType, (text: string) => unknown>> = {
  text: (text) => text,
  number: (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
};
