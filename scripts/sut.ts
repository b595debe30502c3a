// `npm run sut`: the system under test of the official compatibility kit, on a Redis that forgets it all in the end.

import { resolve } from 'node:path';
import { runOnEmptyRedis, runSession } from '@switchyard/cli/up';
import { readCommandLine } from '@switchyard/settings';
import { startArchiveAndFiles } from '../tests/support/archive-and-files.ts';

/** What the flags can take out of the agent's card. */
const capabilities = ['streaming', 'push', 'extensions'] as const;
const isOn = { type: 'boolean', default: true } as const;
const isOff = { type: 'boolean', default: false } as const;

await runSession(process, async (session) => {
  const { help, values } = readCommandLine(
    {
      usage:
        'npm run sut -- [--port 9999] [--no-streaming] [--no-push] [--no-extensions] [--required-extension] [--legacy] [--archive]',
      text: `Starts the system under test of the official compatibility kit, with gRPC on the port after --port.
With --archive it has files, and an archive; Redis keeps ended tasks for half a minute.`,
      options: {
        port: { type: 'string', default: '9999' },
        streaming: isOn,
        push: isOn,
        extensions: isOn,
        'required-extension': isOff,
        legacy: isOff,
        archive: isOff,
      },
      settingsOf: [],
    },
    process.argv.slice(2),
  );
  if (help !== undefined) return session.terminal.print(help);
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_534) throw new TypeError('--port: choose one from 1 to 65534');
  await using stores = values.archive ? await startArchiveAndFiles() : undefined;
  await runOnEmptyRedis(session, {
    command: 'npm run sut',
    name: 'sut',
    settings: {
      environment: session.environment,
      host: '127.0.0.1',
      port,
      grpcPort: String(port + 1),
      agents: [resolve('examples/conformance/agent.ts')],
      defaultAgent: 'conformance',
      env: {
        CONFORMANCE_OFF: capabilities.filter((name) => !values[name]).join(','),
        CONFORMANCE_REQUIRED_EXTENSION: String(values['required-extension']),
        GRPC_PUBLIC_ADDRESS: 'auto',
        // The kit reads the pure 1.0 card. Its webhooks are in clear, on loopback.
        LEGACY_V0_3: values.legacy ? 'on' : 'off',
        PUSH_ALLOW_HTTP: 'true',
        PUSH_ALLOW_HOSTS: 'localhost,127.0.0.1',
        // It gives different messages the same messageId, which here is one message and a conflict.
        IDEMPOTENCY_MS: '1',
        ...stores?.env,
      },
    },
    greeting: `\nThe system under test is ready on http://127.0.0.1:${port}, gRPC on 127.0.0.1:${port + 1}`,
  });
});
