// `npm run sut`: the system under test of the official compatibility kit, on a Redis that forgets it all in the end.

import { parseArgs } from 'node:util';
import { runOnEmptyRedis } from './start/run-on-empty-redis.ts';

const usage =
  'npm run sut -- [--port 9999] [--no-streaming] [--no-push] [--no-extensions] [--required-extension] [--legacy]';
/** What the flags can take out of the agent's card. */
const capabilities = ['streaming', 'push', 'extensions'] as const;

await runOnEmptyRedis('sut', () => {
  const { port, env } = readFlags();
  return {
    settings: { host: '127.0.0.1', port, agents: ['conformance'], env },
    greeting: `\nThe system under test is ready on http://127.0.0.1:${port}, gRPC on 127.0.0.1:${port + 1}`,
  };
});

/**
 * The kit reads the pure 1.0 card, so version 0.3 is off unless it is asked for. Its webhooks are in clear, on loopback.
 * It gives different messages the same messageId, which here is one message and a conflict: so ids are forgotten at once.
 */
function readFlags(): { port: number; env: Record<string, string> } {
  try {
    const flag = { type: 'boolean', default: true } as const;
    const { values } = parseArgs({
      allowNegative: true,
      options: {
        port: { type: 'string', default: '9999' },
        streaming: flag,
        push: flag,
        extensions: flag,
        'required-extension': { type: 'boolean', default: false },
        legacy: { type: 'boolean', default: false },
      },
    });
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 1 || port > 65_534) throw new TypeError('--port: choose one from 1 to 65534');
    return {
      port,
      env: {
        GRPC_PORT: String(port + 1),
        CONFORMANCE_OFF: capabilities.filter((name) => !values[name]).join(','),
        CONFORMANCE_REQUIRED_EXTENSION: String(values['required-extension']),
        LEGACY_V0_3: values.legacy ? 'on' : 'off',
        PUSH_ALLOW_HTTP: 'true',
        PUSH_ALLOW_HOSTS: 'localhost,127.0.0.1',
        IDEMPOTENCY_MS: '1',
      },
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\nUsage: ${usage}`);
  }
}
