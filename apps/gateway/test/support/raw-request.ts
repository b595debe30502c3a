import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends these bytes unchanged, which no HTTP client would. */
export async function rawRequest(
  url: string,
  request: string,
): Promise<{ status: number; headers: string; body: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  const response = await text(socket);
  const end = response.indexOf('\r\n\r\n');
  return { status: Number(response.split(' ', 2)[1]), headers: response.slice(0, end), body: response.slice(end + 4) };
}
