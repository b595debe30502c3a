import type { IncomingHttpHeaders } from 'node:http';
import type { Metadata } from '@grpc/grpc-js';

/** The first value of a name. */
export function textIn(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** What authenticators read, wherever it came from. */
export function headersOf(metadata: Metadata): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(metadata.getMap())) if (typeof value === 'string') headers[name] = value;
  return headers;
}
