import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type Cluster, Redis, type RedisOptions } from 'ioredis';

const DISCONNECT_WITHIN_MS = 2_000;

interface Node {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

/**
 * The subscriber of a Cluster: a connection to any node, and after a disconnect to the next one, as every node gets all
 * published messages. ioredis' own subscriber cannot be pinged, and emits no event when it is disconnected.
 */
export function createClusterSubscriber(
  cluster: Cluster,
  seeds: readonly Node[],
  options: Omit<RedisOptions, 'replyMapping'>,
): Redis {
  let attempts = Math.floor(Math.random() * 16_384);
  const nextNode = (): Node => {
    const known = cluster.nodes('all').map((node): Node => node.options);
    const nodes = known.length > 0 ? known : seeds;
    return nodes[attempts++ % nodes.length] ?? {};
  };
  class NextNode extends AbstractConnector {
    constructor() {
      super(DISCONNECT_WITHIN_MS);
    }

    async connect(): Promise<Socket> {
      this.connecting = true;
      const { host = '127.0.0.1', port = 6379 } = nextNode();
      this.stream = options.tls ? connectTls({ host, port, ...options.tls }) : connect({ host, port });
      this.stream.once('error', (error: Error) => {
        this.firstError = error;
      });
      return this.stream;
    }
  }

  return new Redis({ ...options, Connector: NextNode });
}
