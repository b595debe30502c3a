import { runTurn, type TestedTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import conformance from '../agent.ts';
import { scenarioOf } from '../scenarios.ts';

/** The agent's result for a message whose id has this prefix. */
function play(prefix: string): Promise<TestedTurn> {
  const execute = scenarioOf(`${prefix}-3f2a`);
  return runTurn({ ...conformance, execute }, 'hello');
}

const states = ({ events }: TestedTurn) => events.flatMap(({ statusUpdate }) => statusUpdate?.status.state ?? []);
const parts = ({ task }: TestedTurn) => task.artifacts?.flatMap((artifact) => artifact.parts);

describe('the conformance agent', () => {
  it.each([
    ['tck-complete-task', 'TASK_STATE_COMPLETED'],
    ['anything-else', 'TASK_STATE_COMPLETED'],
    ['tck-input-required', 'TASK_STATE_INPUT_REQUIRED'],
    ['tck-reject-task', 'TASK_STATE_REJECTED'],
    ['tck-stream-002', 'TASK_STATE_COMPLETED'],
  ])('ends %s at once with %s', async (prefix, state) => {
    expect(states(await play(prefix))).toEqual([state]);
  });

  it.each([
    ['tck-artifact-text', { text: 'Generated text content' }],
    ['tck-artifact-file', { raw: expect.any(String), filename: 'output.txt', mediaType: 'text/plain' }],
    ['tck-artifact-file-url', { url: 'https://example.com/output.txt', filename: 'output.txt' }],
    ['tck-artifact-data', { data: { key: 'value', count: 42 } }],
  ])('publishes the artifact of %s', async (prefix, part) => {
    expect(parts(await play(prefix))).toMatchObject([part]);
  });

  it.each(['001', '003', 'ordering-001', 'artifact-text', 'artifact-file'])(
    'reports progress, publishes an artifact and completes for tck-stream-%s',
    async (name) => {
      const said = await play(`tck-stream-${name}`);
      expect(states(said)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
      expect(parts(said)).toHaveLength(1);
    },
  );

  it('publishes its artifact in two chunks for tck-stream-artifact-chunked', async () => {
    const said = await play('tck-stream-artifact-chunked');
    const chunks = said.events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(chunks.map(({ append, lastChunk }) => [append ?? false, lastChunk ?? false])).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(parts(said)).toEqual([{ text: 'chunk-1 chunk-2' }]);
  });
});
