import { expect, it } from 'vitest';
import { type GraphSettings, graphExecutor } from '../src/index.ts';

const graph = { getState: () => undefined, stream: () => undefined };

it.each([
  ['no graph', {}, 'graphExecutor cannot be made: graph is missing'],
  ['a graph that is not compiled', { graph: {} }, 'graph must be a graph: what compile({ checkpointer }) returns'],
  ['a thread as a text', { graph, thread: 'one' }, 'thread must be a function'],
  ['an artifact without a name', { graph, artifact: {} }, 'artifact.name is missing'],
])('a setting that is plainly wrong is named when the executor is made: %s', (_, wrong, text) => {
  expect(() => graphExecutor(wrong as unknown as GraphSettings)).toThrow(text);
});
