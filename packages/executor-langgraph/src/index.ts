export { type Graph, type GraphSettings, type GraphState, graphExecutor } from './graph-executor.ts';
export { type ModelCallbacks, modelCallbacks } from './model-callbacks.ts';
