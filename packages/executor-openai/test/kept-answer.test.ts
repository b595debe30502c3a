import { runTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { modelAsker, noteSteps, report, structured } from '../../../tests/support/model-asker.ts';
import { inTurn, ModelEndpoint, stream, whole } from '../../../tests/support/model-endpoint.ts';
import { openAiExecutor } from '../src/index.ts';

const { askForApproval } = modelAsker((baseURL, settings) => openAiExecutor({ model: 'm', baseURL, ...settings }));

const funghi = whole({ content: '{"pizza":"Funghi","size":30}' });
const salami = whole({ content: '{"pizza":"Salami","size":50}' });

describe('an answer that toOutcome goes on with', () => {
  it('is the same after a wait, without another request: what was approved is done', async () => {
    const { state, answer, requests, used } = await askForApproval(inTurn(funghi, salami));
    expect([state, answer]).toEqual(['TASK_STATE_COMPLETED', 'Funghi of 30 cm']);
    expect(requests).toBe(1);
    expect(used).toHaveLength(1);
  });

  it('is the same after a crash', async () => {
    // The first event is that the agent works; the second is the question.
    const { answer, requests, used, waiting } = await askForApproval(inTurn(funghi, salami), { crashesAfter: [2] });
    expect([answer, requests, used.length]).toEqual(['Funghi of 30 cm', 1, 1]);
    expect(waiting.task.history?.map(({ parts }) => parts[0]?.text)).toEqual([
      'A pizza, please',
      'Shall we order Funghi?',
    ]);
  });

  it('needs the files of the message no longer', async () => {
    const url = 'https://files.example/menu.pdf';
    const { state, answer } = await askForApproval(funghi, {
      message: { url, mediaType: 'application/pdf' },
      files: { [url]: 'pdf' },
      whileWaiting: ({ files }) => (files as Map<string, Uint8Array>).delete(url),
    });
    expect([state, answer]).toEqual(['TASK_STATE_COMPLETED', 'Funghi of 30 cm']);
  });

  it('fails the task if it is too long to be kept', async () => {
    const long = whole({ content: JSON.stringify({ pizza: 'F'.repeat(300_000), size: 30 }) });
    const { state, answer, requests } = await askForApproval(long);
    expect(state).toBe('TASK_STATE_FAILED');
    expect(answer).toMatch(/^The answer of the model is too long: it has 3\d{5} characters of JSON, and 262144 can be/);
    expect(requests).toBe(1);
  });

  it('is one step; an answer that ends the turn is none', async () => {
    expect((await askForApproval(funghi)).steps).toEqual(['model 1']);
    for (const [script, settings] of [
      [stream(['Hello']), {}],
      [stream(['Hello']), report],
      [funghi, structured],
    ] as const) {
      await using endpoint = new ModelEndpoint(script);
      const { steps, use } = noteSteps();
      const execute = openAiExecutor({ model: 'm', baseURL: await endpoint.start(), ...settings });
      const { state } = await runTurn(agentThat(execute, { use }), 'Hello');
      expect([state, steps]).toEqual(['TASK_STATE_COMPLETED', []]);
    }
  });
});
