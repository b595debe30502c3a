export type { ModelConnection } from './connection.ts';
export type { ModelParameters, ModelSettings } from './model.ts';
export { type OpenAiSettings, openAiExecutor, type StructuredAnswer } from './openai-executor.ts';
