import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { AgentError, RetryableError, type TurnEvent } from '@switchyard/agent';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, runTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { pacedPort } from '../../../tests/support/paced-port.ts';
import { graphExecutor } from '../src/index.ts';

type Node = (state: typeof MessagesAnnotation.State) => Promise<typeof MessagesAnnotation.Update>;

/** A graph of one node after the other, by name. */
function graphOf(nodes: Readonly<Record<string, Node>>) {
  const graph = new StateGraph(MessagesAnnotation);
  const names = Object.keys(nodes);
  for (const [name, node] of Object.entries(nodes)) graph.addNode(name, node);
  const edge = (from: string, to: string) => graph.addEdge(from as typeof START, to as typeof END);
  [START, ...names].forEach((from, at) => void edge(from, names[at] ?? END));
  return graph.compile({ checkpointer: new MemorySaver() });
}

const usage_metadata = {
  input_tokens: 12,
  output_tokens: 5,
  total_tokens: 17,
  input_token_details: { cache_read: 8 },
  output_token_details: { reasoning: 3 },
};

/** A model that streams "Hello", and says what it has used. */
class CountedModel extends BaseChatModel {
  _llmType(): string {
    return 'counted';
  }

  async _generate(): Promise<ChatResult> {
    throw new Error('it streams');
  }

  override async *_streamResponseChunks(
    _messages: unknown,
    _options: unknown,
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const last = new AIMessageChunk({ content: 'lo', response_metadata: { model_name: 'm-1', finish_reason: 'stop' } });
    const messages = [new AIMessageChunk('Hel'), Object.assign(last, { usage_metadata })];
    for (const message of messages) {
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await run?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const model = new CountedModel({});
const greet: Node = async ({ messages }) => {
  return { messages: [await model.invoke(messages)] };
};
const book: Node = async () => {
  const guests: string = interrupt('For how many?');
  return { messages: [new AIMessage(`A table for ${guests}.`)] };
};

it('completes the task with the last message of the graph', async () => {
  const { answer } = await runTurn(agentThat(graphExecutor({ graph: graphOf({ greet }) })), 'Hi');
  expect(answer).toBe('Hello');
});

it('streams the text of its models into an artifact', async () => {
  const execute = graphExecutor({
    graph: graphOf({ greet }),
    artifact: { name: 'Answer' },
    output: (_, turn) => turn.complete(),
  });
  const { task } = await runTurn(agentThat(execute), 'Hi');
  expect(task.artifacts).toMatchObject([{ name: 'Answer', parts: [{ text: 'Hello' }] }]);
});

it('asks the client at an interrupt, and resumes with the answer', async () => {
  const execute = graphExecutor({ graph: graphOf({ greet, book }) });
  const asked = await runTurn(agentThat(execute), 'A table');
  expect([asked.task.status.state, asked.answer]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'For how many?']);
  expect((await asked.say('four')).answer).toBe('A table for four.');
});

describe('a retried turn', () => {
  it('continues from the last checkpoint after a failure', async () => {
    let [plans, tries] = [0, 0];
    const plan: Node = async () => ({ messages: [new AIMessage(`Plan ${++plans}`)] });
    const act: Node = async () => {
      if (++tries === 1) throw new RetryableError('Not yet.');
      return { messages: [new AIMessage('Done')] };
    };
    const { answer } = await runTurn(agentThat(graphExecutor({ graph: graphOf({ plan, act }) })), 'Go');
    expect([answer, plans, tries]).toEqual(['Done', 1, 2]);
  });

  it('asks again, and does not take its message for the answer, if its question was not published', async () => {
    let tries = 0;
    const failing = new (class extends MemoryPort {
      override async publish(event: TurnEvent): Promise<void> {
        const isQuestion = event.kind === 'status' && event.state === 'TASK_STATE_INPUT_REQUIRED';
        if (isQuestion && ++tries === 1) throw new Error('Redis is away');
        return super.publish(event);
      }
    })({ message: 'A table' });
    const agent = agentThat(graphExecutor({ graph: graphOf({ book }) }));
    expect((await executeTurn(agent, failing)).kind).toBe('retry');
    const again = new MemoryPort({ ...failing.input, attempt: 2, world: failing.world });
    await executeTurn(agent, again);
    expect(again.current.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { parts: [{ text: 'For how many?' }] },
    });
  });

  it('resumes again with the same answer if the node failed after it', async () => {
    let tries = 0;
    const bookLate: Node = async () => {
      const guests: string = interrupt('For how many?');
      if (++tries === 1) throw new RetryableError('The desk is busy.');
      return { messages: [new AIMessage(`A table for ${guests}.`)] };
    };
    const asked = await runTurn(agentThat(graphExecutor({ graph: graphOf({ bookLate }) })), 'A table');
    expect([(await asked.say('four')).answer, tries]).toEqual(['A table for four.', 2]);
  });

  it('publishes the outcome of a graph that had ended, without running it again', async () => {
    let runs = 0;
    const count: Node = async () => ({ messages: [new AIMessage(`Run ${++runs}`)] });
    let outcomes = 0;
    const execute = graphExecutor({
      graph: graphOf({ count }),
      output: async (_, turn) => {
        if (++outcomes === 1) throw new RetryableError('Not yet.');
        return turn.complete('Done');
      },
    });
    expect([(await runTurn(agentThat(execute), 'Go')).answer, runs, outcomes]).toEqual(['Done', 1, 2]);
  });
});

it('counts what the models of the graph use, and waits for their pace', async () => {
  const { port, asked, corrections } = pacedPort();
  await executeTurn(agentThat(graphExecutor({ graph: graphOf({ greet }) })), port);
  expect(port.used).toEqual([
    { model: 'm-1', inputTokens: 12, outputTokens: 5, cachedTokens: 8, reasoningTokens: 3, microUsd: undefined },
  ]);
  expect(asked).toHaveLength(1);
  expect(corrections).toEqual([{ tokens: 17 - (asked[0]?.tokens ?? 0) }]);
});

it('retries the turn after a refusal of a provider, and lets everybody wait', async () => {
  const { port, corrections } = pacedPort();
  class BusyModel extends CountedModel {
    override _streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
      throw Object.assign(new Error('Slow down'), { status: 429, headers: new Headers({ 'retry-after': '7' }) });
    }
  }
  const busy = new BusyModel({ maxRetries: 0 });
  const ask: Node = async ({ messages }) => ({ messages: [await busy.invoke(messages)] });
  const result = await executeTurn(agentThat(graphExecutor({ graph: graphOf({ ask }) })), port);
  expect(result).toMatchObject({
    kind: 'retry',
    afterMs: 7_000,
    error: { message: 'The model is receiving too many requests.' },
  });
  expect(corrections).toContainEqual({ pausedMs: 7_000 });
});

it('ends with the turn: by a cancel, a spent budget, or an error of a node', async () => {
  const waits: Node = () => new Promise(() => undefined);
  const port = new MemoryPort({ message: 'Go' });
  const turn = executeTurn(agentThat(graphExecutor({ graph: graphOf({ waits }) })), port, { graceMs: 1000 });
  await port.until(({ status }) => status.state === 'TASK_STATE_WORKING');
  port.interrupt('canceled');
  await expect(turn).resolves.toMatchObject({ kind: 'interrupted', reason: { kind: 'canceled' } });

  const refuses: Node = async () => {
    throw new AgentError('The kitchen is closed.');
  };
  const { answer } = await runTurn(agentThat(graphExecutor({ graph: graphOf({ refuses }) })), 'Go');
  expect(answer).toBe('The kitchen is closed.');

  const spent = Object.assign(new MemoryPort({ message: 'Go' }), {
    checkBudget: async () => ({ text: 'Spent 2.00 USD of 2.00.', asks: false }),
  });
  await executeTurn(agentThat(graphExecutor({ graph: graphOf({ greet }) })), spent);
  const { state, message } = spent.current.status;
  expect([state, message?.parts[0]?.text]).toEqual(['TASK_STATE_FAILED', 'Spent 2.00 USD of 2.00.']);
});

it('gives output the same state after a wait, although another task has used the thread meanwhile', async () => {
  const order: Node = async ({ messages }) => ({ messages: [new AIMessage(`Order: ${messages.at(-1)?.text}`)] });
  const execute = graphExecutor({
    graph: graphOf({ order }),
    thread: () => 'shared',
    output: async ({ messages }, turn) => {
      await turn.waitFor('approval');
      return turn.complete((messages as AIMessage[]).at(-1)?.text ?? '');
    },
  });
  const first = await runTurn(agentThat(execute), 'Funghi');
  await first.newTask('Salami');
  expect((await first.give('approval')).answer).toBe('Order: Funghi');
});
