import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A gateway with its own heap. */
export interface GatewayThread extends AsyncDisposable {
  readonly url: string;
  /** Bytes that it allocates during an action. */
  allocated(act: () => Promise<unknown>): Promise<number>;
}

export async function startGatewayThread(parts: { redisUrl: string; prefix: string }): Promise<GatewayThread> {
  const thread = new Worker(new URL('./gateway-thread.ts', import.meta.url), { workerData: parts });
  const [url]: string[] = await once(thread, 'message');
  const order = async (word: 'begin' | 'end'): Promise<number> => {
    thread.postMessage(word);
    const [bytes]: number[] = await once(thread, 'message');
    return bytes ?? Number.NaN;
  };
  return {
    url: url ?? '',
    async allocated(act) {
      await order('begin');
      await act();
      return order('end');
    },
    async [Symbol.asyncDispose]() {
      await thread.terminate();
    },
  };
}
