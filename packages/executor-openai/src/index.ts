export { type ModelQuestion, type StructuredAnswer, type Tool, ToolError, type Tools } from '@switchyard/agent/models';
export type { ModelConnection } from './connection.ts';
export type { ModelParameters, ModelSettings } from './model.ts';
export { type OpenAiSettings, openAiExecutor } from './openai-executor.ts';
export { type OpenAiModel, openAiModel } from './openai-model.ts';
