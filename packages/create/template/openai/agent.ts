import { defineAgent } from '@switchyard/agent';
import { openAiExecutor } from '@switchyard/executor-openai';

// Any endpoint with OpenAI's chat completions API. Default: a model on this machine, served by Ollama.
const { OPENAI_BASE_URL = 'http://127.0.0.1:11434/v1', OPENAI_API_KEY = 'none', MODEL = 'llama3.2' } = process.env;

export default defineAgent({
  id: 'my-agent',
  card: {
    name: 'My agent',
    description: 'Answers questions with a model.',
    version: '0.1.0',
    skills: [
      {
        id: 'answer',
        name: 'Answer',
        description: 'Answers a question.',
        tags: ['model'],
        examples: ['Why is the sky blue?'],
      },
    ],
  },
  execute: openAiExecutor({
    baseURL: OPENAI_BASE_URL,
    apiKey: OPENAI_API_KEY,
    model: MODEL,
    system: 'You answer in one sentence.',
  }),
});
