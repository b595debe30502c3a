import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SdkServer, startServer } from '../../examples/sdk-pizza/server/start-server.ts';
import { startProgram } from '../support/process.ts';

// On a busy machine processes start slowly.
// The `switchyard` command as a process, against the SDK's server.

let sdk: SdkServer;

beforeAll(async () => {
  sdk = await startServer(0);
});

afterAll(() => sdk.close());

async function switchyard(...args: string[]) {
  const program = await startProgram({ file: 'apps/cli/src/main.ts', args: [...args, '-a', sdk.url] });
  return { code: await program.exited, output: program.output() };
}

/** Standard output only. */
function documents(output: string) {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

describe('switchyard', () => {
  it("has a conversation with the SDK's server, with and without streaming", async () => {
    const asked = await switchyard('send', '--stream', '-o', 'json', 'I want a pizza');
    const events = documents(asked.output);
    const { id } = events[0].task;
    expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const { code, output } = await switchyard('send', 'With pineapple', '--task-id', id);
    expect([code, output]).toEqual([0, expect.stringContaining(`Task: ${id}\n`)]);
    expect(output).toContain('State: TASK_STATE_COMPLETED\n');
    expect(output).toContain('Artifact: Receipt (receipt)\nData:\n{\n  "pizza": "Hawaiian",\n  "price": 9\n}\n\n');
  });

  it('gets, lists and cancels tasks there, with the specified exit codes', async () => {
    const { output } = await switchyard('send', '--stream', '-o', 'json', 'I want a pizza');
    const { id } = documents(output)[0].task;
    const [got, unknown, push] = await Promise.all([
      switchyard('task', 'get', id),
      switchyard('task', 'get', 'none'),
      switchyard('task', 'push-config', 'list', id),
    ]);
    const canceled = await switchyard('task', 'cancel', id);
    expect([got.code, got.output]).toEqual([0, expect.stringContaining('Text:\nWhat kind?\n\n')]);
    expect([unknown.code, unknown.output]).toEqual([1, expect.stringContaining('Error: TaskNotFoundError\n')]);
    expect([canceled.code, canceled.output]).toEqual([0, expect.stringContaining('State: TASK_STATE_CANCELED\n')]);
    expect([push.code, push.output]).toEqual([1, expect.stringContaining('PushNotificationNotSupportedError')]);
  });
});
