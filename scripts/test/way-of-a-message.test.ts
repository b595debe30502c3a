import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';

/** The files to read to understand how a message is sent: at most so many, and so many of the gateway. */
const MOST_FILES = { immediate: 49, blocking: 69 };
/**
 * Of them one checks for unknown fields of the configuration, and one each reads the input and what is asked for by
 * extensions; one each checks media types and the URLs of files; in a blocking call one says why it ends.
 */
const MOST_OF_GATEWAY = { immediate: 25, blocking: 30 };

/** Functions that parse or check a part of the request, which must run once. */
const READ_ONCE = [
  'apps/gateway/src/bindings/http-call.ts openHttpCall',
  'apps/gateway/src/admission/admission.ts requirePermission',
  'apps/gateway/src/call/extensions.ts offeredExtensions',
  'apps/gateway/src/call/extensions.ts parseExtensions',
  'apps/gateway/src/exchange/addresses.ts clientAddress',
  'apps/gateway/src/exchange/read-json.ts parse',
  'apps/gateway/src/exchange/read-json.ts readBody',
  'apps/gateway/src/exchange/service-parameters.ts requireSupportedVersion',
  'packages/protocol/src/schemas/parse.ts parse',
];

describe.each(['immediate', 'blocking'] as const)('A SendMessage, %s, from the socket to Redis', (kind) => {
  it('runs through few files, and parses nothing twice', async () => {
    const { files, calls } = await wayOf({ redisUrl: inject('redisUrl'), isImmediate: kind === 'immediate' });
    const ofGateway = files.filter((file) => file.startsWith('apps/gateway/'));
    expect(files).toContain('packages/store/src/tasks/accept/accept.ts');
    expect(files.length).toBeLessThanOrEqual(MOST_FILES[kind]);
    expect(ofGateway.length).toBeLessThanOrEqual(MOST_OF_GATEWAY[kind]);
    expect(READ_ONCE.filter((name) => calls[name] !== 1)).toEqual([]);
  });
});

/** In its own process, because vitest wraps each export, so that all functions would seem to run. */
async function wayOf(sent: object): Promise<{ files: string[]; calls: Record<string, number> }> {
  const program = `
    import { wayOfAMessage } from './scripts/structure/way-of-a-message.ts';
    const { files, calls } = await wayOfAMessage(process.cwd(), ${JSON.stringify(sent)});
    process.stdout.write(JSON.stringify({ files, calls: Object.fromEntries(calls) }), () => process.exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}
