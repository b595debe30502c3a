import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { StreamItem } from '../../src/operations/operation.ts';
import { Source } from './source.ts';

export interface OpenResponse {
  readonly res: ServerResponse;
  /** The client's end of the connection. */
  readonly socket: Socket;
  readonly source: Source<StreamItem>;
  end(): void;
  /** Resolves with all that the client receives until the connection ends. Resumes a paused client. */
  received(): Promise<string>;
}

/** A response on a real connection, for a test to write to. */
export async function openResponse({ isPaused = false } = {}): Promise<OpenResponse> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const body = isPaused ? undefined : text(socket);
  body?.catch(() => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const [, res]: [unknown, ServerResponse] = (await once(server, 'request')) as [unknown, ServerResponse];
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  const source = new Source<StreamItem>();
  return { res, socket, source, end: () => source.end(), received: () => body ?? text(socket) };
}
