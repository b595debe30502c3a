import { defineAgent } from '@switchyard/agent';
import { type OpenAiModel, openAiModel } from '@switchyard/executor-openai';

const models = new Map<string, OpenAiModel>();

/** Asks the model at the URL of its message. */
export default defineAgent({
  id: 'asker',
  card: { name: 'Asker', description: 'Asks a model.', version: '1.0.0', skills: [] },
  concurrency: 30,
  async execute(turn) {
    const model = models.get(turn.text) ?? openAiModel({ model: 'counting', baseURL: turn.text });
    models.set(turn.text, model);
    return turn.complete(await model.text({ prompt: 'How are you?', signal: turn.signal }));
  },
});
