import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The offset of a query's question, and the length of the type and class after its name. */
const HEADER_BYTES = 12;
const AFTER_NAME_BYTES = 4;
const TYPE_A = 1;

export interface NameServer extends AsyncDisposable {
  readonly port: number;
  /** The addresses of every name, read at each query. */
  addresses: readonly string[];
}

/** A DNS server like a container engine's: one name has the addresses of all running containers. */
export async function startNameServer(addresses: readonly string[]): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server = {
    port: 0,
    addresses,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query, { address, port }) => socket.send(answer(query, server.addresses), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.port = socket.address().port;
  return server;
}

function answer(query: Buffer, addresses: readonly string[]): Buffer {
  const endOfName = query.indexOf(0, HEADER_BYTES) + 1;
  const question = query.subarray(HEADER_BYTES, endOfName + AFTER_NAME_BYTES);
  const found = query.readUInt16BE(endOfName) === TYPE_A ? addresses : [];
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2); // an answer without an error
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  return Buffer.concat([header, question, ...found.map(record)]);
}

/** A pointer to the name in the question, type A, class IN, one second to live, four bytes of address. */
function record(address: string): Buffer {
  return Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
}
