import { watchFile } from 'node:fs';
import { format } from 'node:util';
import { ArchiveRefused } from '@switchyard/archive';
import { LogLevels } from '@switchyard/operators';
import { nodeProxies, useProxies } from '@switchyard/outgoing';
import {
  type KnownError,
  limitStop,
  portError,
  readCommandLine,
  startFailure,
  unknownSettings,
  unknownSettingText,
} from '@switchyard/settings';
import { RedisUnusable } from '@switchyard/store';
import { createLog, ErrorThrottle, LevelSwitch, logOutput, startTraces } from '@switchyard/telemetry';
import { GrpcUnavailable } from './bindings/grpc/grpc-listener.ts';
import { readConfig } from './config.ts';
import { FileChanges } from './deployments/file-changes.ts';
import { type OpenStore, openStores } from './deployments/open-stores.ts';
import { createGateway } from './gateway.ts';

const text = `Serves A2A clients.

The same program is switchyard-gateway (package @switchyard/gateway), npm run gateway (a checkout) and the command
gateway of the image.`;

/**
 * The gateway as a process: settings from the environment, JSON lines on standard output, stops on SIGINT and SIGTERM.
 */
async function main(): Promise<void> {
  const { help } = readCommandLine(
    { usage: 'switchyard gateway', text, options: {}, settingsOf: ['gateway'] },
    process.argv.slice(2),
  );
  if (help !== undefined) return void process.stdout.write(help);
  // Until it serves, it can exit at once.
  let stop = async (): Promise<void> => process.exit();
  const askToStop = (): void => void stop().catch(fail);
  // 'disconnect' comes when a parent process with an IPC channel has exited.
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(event, askToStop);
  // The parent has already exited.
  if (process.connected === false) askToStop();
  const config = readConfig(process.env);
  useProxies(config.proxies);
  const log = createLog({ app: 'gateway', level: config.logLevel }, await logOutput(process.stdout, config.logFormat));
  // Libraries print texts of clients, whose line breaks could forge lines of the log.
  const print = (...texts: unknown[]): void => void process.stderr.write(`${JSON.stringify(format(...texts))}\n`);
  Object.assign(console, { warn: print, error: print });
  for (const unknown of unknownSettings(process.env)) log.warn(unknownSettingText(unknown));
  const level = new LevelSwitch(log);
  const throttle = new ErrorThrottle();
  const onRedisError = (error: Error): void => {
    if (throttle.isDue(error)) log.warn({ event: 'error', where: 'redis', err: String(error) }, 'error');
  };
  const onArchiveError = (error: Error): void => {
    if (throttle.isDue(error)) log.warn({ event: 'error', where: 'archive', err: String(error) }, 'error');
  };
  const { deployments, deploymentsFile } = config;
  const fileChanges = deployments && deploymentsFile ? new FileChanges(deploymentsFile, deployments) : undefined;
  const stores = await openStores(config, { onRedisError, onArchiveError });
  const traces = await startTraces(
    { ...config.traces, proxies: nodeProxies(config.proxies) },
    {
      service: 'switchyard-gateway',
      onError: (error) => {
        if (throttle.isDue(error))
          log.warn({ error: error.message }, 'spans are lost: the collector is unreachable or refuses them');
      },
    },
  );
  // At the first try, and again when a deployment that was away comes back.
  const connect = async (opened: OpenStore, onRefused: (refusal: RedisUnusable) => void): Promise<void> => {
    const { store } = opened;
    await store.start();
    store.schema.follow(onRefused, onRedisError);
    if (opened !== stores.own) return;
    const levels = new LogLevels(store.inside).follow(level.set, onRedisError);
    // A started store is not started again because of the level.
    await (stores.several ? levels.catch(onRedisError) : levels);
  };
  const gateway = createGateway(config.gateway, {
    store: stores.own.store,
    log,
    several: stores.several && {
      deployments: stores.several.map((each) => ({
        ...each.placed,
        store: each.store,
        connect: connect.bind(undefined, each),
      })),
      idempotencyMs: stores.own.store.settings.idempotencyMs,
      fileChanges,
    },
  });

  const reload = (): void => {
    try {
      gateway.reload(readConfig(process.env).gateway);
      log.info('keys and certificates were reloaded');
    } catch (error) {
      log.error({ err: error }, 'the settings cannot be reloaded: the previous ones stay in use');
    }
  };
  // A closing terminal sends SIGHUP, too.
  process.on('SIGHUP', () => (process.stdout.isTTY ? askToStop() : reload()));
  process.on('SIGUSR2', level.toggle);
  for (const file of config.files) watchFile(file, { interval: WATCH_MS, persistent: false }, reload);

  fileChanges?.watch(WATCH_MS, (changes) => log.warn({ event: 'deployments-file-changed', changes }, restartAll));

  if (!stores.several)
    await connect(stores.own, ({ message: reason }) => {
      log.error({ event: 'too-old', reason }, 'the gateway stops: it is too old for the schema in this Redis');
      process.exitCode = 1;
      askToStop();
    });
  await gateway.start();
  stop = async () => {
    limitStop(config.gateway.drainMs, () => {
      log.warn(
        { event: 'stop-given-up' },
        'the gateway ends before it has stopped: something it waits for did not come',
      );
      process.exit(1);
    });
    await gateway.stop();
    await traces.stop();
    await stores.stop();
    if (process.connected) process.disconnect();
  };
}

const restartAll =
  'DEPLOYMENTS_FILE has changed: the gateway goes on with what it has read at its start; restart all gateways';

/** Interval of the check for changed files. */
const WATCH_MS = 10_000;

/** Errors that the user can fix. */
const known: readonly KnownError[] = [
  {
    is: (error) => error instanceof RedisUnusable,
    code: 'SWITCHYARD_ERR_REDIS',
    hint: 'switchyard doctor checks Redis and this deployment',
  },
  { is: (error) => error instanceof ArchiveRefused, code: 'SWITCHYARD_ERR_ARCHIVE' },
  { ...portError, is: (error) => error instanceof GrpcUnavailable || portError.is(error) },
  // A file that a setting names cannot be read, for example.
  { is: (error) => 'syscall' in error, code: 'SWITCHYARD_ERR_SYSTEM' },
];

function fail(error: unknown): void {
  const { text: failure, exitCode } = startFailure(error, { command: 'switchyard gateway', known });
  process.stderr.write(failure);
  process.exit(exitCode);
}

main().catch(fail);
