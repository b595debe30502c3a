import { type Part, Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';
import { runTurn } from '@switchyard/agent/testing';
import { sdkExecutor } from '@switchyard/executor-sdk';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../support/agent-that.ts';
import { executorThat, newTask, says, text as textPart, update } from '../support/sdk-executors.ts';
import { Chance, firstSeed, streams } from './support/chance.ts';

const text = 'Zwei Pizzen 🍕🍕 für हिन्दी: "gut",\n\tsofort.\\';

/** Publishes one answer in one of the many ways in which authors do. */
async function publishOddly(context: RequestContext, bus: ExecutionEventBus, chance: Chance): Promise<void> {
  const pause = async () => chance.oneIn(3) && (await new Promise((resolve) => setImmediate(resolve)));
  const { taskId, contextId } = context;
  const working = (): void => bus.publish(update(context, TaskState.TASK_STATE_WORKING));
  bus.publish(AgentEvent.task(newTask(context)));
  if (chance.oneIn(2)) working();
  // Authors reuse their objects.
  const artifact = {
    artifactId: 'a',
    name: 'Report',
    description: '',
    parts: [] as Part[],
    metadata: undefined,
    extensions: [],
  };
  const pieces = chance.oneIn(4) ? [text] : chance.pieces(text, 12);
  for (const [index, piece] of pieces.entries()) {
    artifact.parts = [textPart(piece)];
    const lastChunk = index === pieces.length - 1 && chance.oneIn(2);
    bus.publish(
      AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: index > 0, lastChunk, metadata: undefined }),
    );
    if (chance.oneIn(6)) working();
    // A state that a later version of the SDK may have.
    if (chance.oneIn(12)) bus.publish(update(context, 99 as TaskState));
    await pause();
  }
  const end = { ...says(context, 'Done'), role: chance.oneIn(4) ? Role.ROLE_UNSPECIFIED : Role.ROLE_AGENT };
  bus.publish(update(context, TaskState.TASK_STATE_COMPLETED, end));
  // After the end nothing counts.
  if (chance.oneIn(3)) working();
  if (chance.oneIn(3)) bus.finished();
}

describe('an answer that an executor of the SDK publishes in an odd way', () => {
  it(`has the same result (${streams} runs from seed ${firstSeed})`, async () => {
    for (let seed = firstSeed; seed < firstSeed + streams; seed++) {
      const chance = new Chance(seed);
      const executor = executorThat((context, bus) => publishOddly(context, bus, chance));
      const { task } = await runTurn(agentThat(sdkExecutor(executor)), 'A pizza, please');
      const [artifact] = task.artifacts ?? [];
      const got = {
        state: task.status.state,
        said: task.status.message?.parts[0]?.text,
        role: task.status.message?.role,
        texts: artifact?.parts.map((part) => part.text),
        messages: task.history?.length,
      };
      const expected = { state: 'TASK_STATE_COMPLETED', said: 'Done', role: 'ROLE_AGENT', texts: [text], messages: 2 };
      expect({ seed, ...got }).toEqual({ seed, ...expected });
    }
  });
});
