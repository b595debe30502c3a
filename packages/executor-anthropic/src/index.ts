export {
  type CallableModel,
  type ModelQuestion,
  type StructuredAnswer,
  type Tool,
  ToolError,
  type Tools,
} from '@switchyard/agent/models';
export { type AnthropicSettings, anthropicExecutor } from './anthropic-executor.ts';
export { anthropicModel } from './anthropic-model.ts';
export type { ModelConnection } from './connection.ts';
export type { ModelParameters, ModelSettings } from './model.ts';
