export {
  type CallableModel,
  type ModelQuestion,
  type StructuredAnswer,
  type Tool,
  ToolError,
  type Tools,
} from '@switchyard/agent/models';
export { type AiSettings, aiExecutor } from './ai-executor.ts';
export { aiModel } from './ai-model.ts';
export type { ModelParameters, ModelSettings } from './model.ts';
