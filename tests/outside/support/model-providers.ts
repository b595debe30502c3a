import type { Habits } from './model-habits.ts';

export interface Provider {
  readonly name: string;
  readonly habits: Habits;
}

/**
 * How servers with OpenAI's chat completions API send answers, by their documentation and public reports: docs/models.md
 * has the sources. The servers that follow these tables are of our own making.
 */
export const providers: readonly Provider[] = [
  { name: 'OpenAI', habits: { usage: 'own chunk' } },
  { name: 'OpenAI, answers of GPT-5 through a proxy', habits: { callName: 'every piece', callId: 'every piece' } },
  {
    name: 'Azure OpenAI',
    habits: {
      first: [{ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] }],
      extra: { system_fingerprint: null },
    },
  },
  {
    name: 'OpenRouter',
    habits: { repeatsRole: true, endsTwice: true, thoughts: 'reasoning', extra: { provider: 'Any' } },
  },
  {
    name: 'Gemini',
    habits: {
      repeatsRole: true,
      callIndex: 'absent',
      callId: 'empty',
      args: 'whole',
      callsTogether: true,
      callReason: 'stop',
      endsWithText: true,
    },
  },
  {
    name: 'Gemini, a call in each chunk',
    habits: { callIndex: 'zero', args: 'whole', callReason: 'stop', interimReason: 'stop', usage: 'every chunk' },
  },
  { name: 'Mistral', habits: { thoughts: 'parts', args: 'whole', callsTogether: true, endsWithText: true } },
  {
    name: 'Groq',
    habits: { thoughts: 'reasoning', args: 'whole', callsTogether: true, extra: { x_groq: { id: 'r' } } },
  },
  { name: 'DeepSeek', habits: { thoughts: 'reasoning_content', usage: 'none' } },
  { name: 'Together', habits: { repeatsRole: true, endReason: 'eos', callName: 'empty later' } },
  { name: 'vLLM', habits: { thoughts: 'reasoning_content', callName: 'empty later' } },
  { name: 'vLLM without a parser of thoughts', habits: { thoughts: '<think>', usage: 'own chunk' } },
  { name: 'vLLM 0.10, some answers', habits: { hasNoReason: true } },
  {
    name: 'Ollama',
    habits: { repeatsRole: true, thoughts: 'reasoning', callIndex: 'zero', args: 'whole', callReason: 'tool_calls' },
  },
  {
    name: 'Ollama before 0.6',
    habits: { repeatsRole: true, interimReason: '', args: 'whole', callIndex: 'zero', callReason: 'stop' },
  },
  { name: 'llama.cpp', habits: { usage: 'own chunk', extra: { timings: {} } } },
  { name: 'llama.cpp of March 2026', habits: { args: 'object', thoughts: '<think>' } },
  { name: 'LiteLLM', habits: { interimReason: 'absent', callName: 'empty later', callId: 'empty' } },
  { name: 'LM Studio', habits: { callName: 'empty later', thoughts: '<think>', endReason: 'stop' } },
  { name: 'MiniMax by NVIDIA NIM', habits: { callName: 'every piece', thoughts: '<think>' } },
  { name: 'MiniMax', habits: { args: 'object', callIndex: 'null', hasNoDone: true } },
  { name: 'Text Generation Inference', habits: { args: 'object', endReason: 'eos_token', callIndex: 'zero' } },
];
