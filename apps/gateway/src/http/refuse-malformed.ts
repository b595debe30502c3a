import type { Socket } from 'node:net';
import { A2AError, toHttpError } from '@switchyard/protocol';

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is no HTTP never gets to Express: it is answered on the bare socket, as JSON all the same. */
export function refuseMalformed(fault: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || fault.code === 'ECONNRESET') return void socket.destroy();
  const line = statuses[fault.code ?? ''] ?? '400 Bad Request';
  const { body } = toHttpError(new A2AError('InvalidRequest', 'The request is not valid HTTP'));
  const text = JSON.stringify({ error: { ...body.error, code: Number.parseInt(line, 10) } });
  socket.end(
    `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: application/a2a+json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
