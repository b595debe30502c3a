import type { ServerResponse } from 'node:http';

/** The body goes out as it is. (Express' own `send` would parse types and hash it for an ETag.) */
export function respond(res: ServerResponse, contentType: string, body: string | Buffer): void {
  res.setHeader('Content-Type', contentType);
  res.end(body);
}

/** The caller has it already (RFC 9110 15.4.5). */
export function respondUnchanged(res: ServerResponse): void {
  res.statusCode = 304;
  res.end();
}

/** Resolves when the client has read enough, or is gone. */
export function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
}
