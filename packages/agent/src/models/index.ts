/**
 * What executors of models share: the conversation, tools as steps, the forms of an answer, pace, budgets, usage and
 * errors. For executors of further SDKs; authors of agents take an executor.
 * @module
 */

export { type Answer, brokenOff, checkFinish, noAnswer, type ToolCall } from './answer.ts';
export { AskedModel, wholeAnswer } from './ask-model.ts';
export { type CallableModel, callableModel, type DirectQuestion, type ModelQuestion } from './callable-model.ts';
export type { ChatModel, ChatQuestion } from './chat-model.ts';
export { type AnswerForm, readValue, type StructuredAnswer } from './delivery.ts';
export type { DialogueMessage } from './dialogue.ts';
export type { DialogueFile } from './dialogue-files.ts';
export { artifactCheck, modelExecutorChecks } from './executor-checks.ts';
export type { ModelClient, ModelRequest } from './model-client.ts';
export { isBrokenStream, type ModelProblem, meaningOf, modelError } from './model-error.ts';
export { type ModelExecutorSettings, modelExecutor } from './model-executor.ts';
export { ModelPace } from './model-pace.ts';
export type { OpenCall, RequestSpan, SaidOfAnswer } from './open-call.ts';
export {
  type AnyTools,
  schemaForModel,
  type Tool,
  ToolError,
  type ToolResult,
  type ToolShapes,
  type Tools,
} from './tools.ts';
