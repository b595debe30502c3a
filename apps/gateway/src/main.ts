import { Store, StoreError } from '@switchyard/store';
import { GrpcUnavailable } from './bindings/grpc/grpc-listener.ts';
import { ConfigError, readConfig } from './config.ts';
import { createGateway } from './gateway.ts';
import { createLog } from './observe/create-log.ts';

/** The gateway as a process: settings from the environment, JSON lines on standard output, stops on SIGINT and SIGTERM. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.log);
  const store = new Store(config.store, (err) => log.warn({ err }, 'redis connection'));
  const gateway = createGateway(config.gateway, { store, log });

  const stop = async (): Promise<void> => {
    await gateway.stop();
    await store.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop().catch(fail);
    });
  }

  await store.start();
  await gateway.start();
}

/** What whoever starts it can mend is said in words; the rest with its stack. */
function fail(error: unknown): void {
  const isExplained =
    error instanceof ConfigError ||
    error instanceof StoreError ||
    error instanceof GrpcUnavailable ||
    isOfSystem(error);
  process.stderr.write(`${error instanceof Error ? (isExplained ? error.message : error.stack) : String(error)}\n`);
  process.exit(1);
}

/** For example that the port is taken. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

main().catch(fail);
