import type { ModelSettings } from '@switchyard/executor-openai';
import { modelFromEnvironment } from '../config.ts';
import { startScriptedModel } from '../model/scripted-model.ts';

let model: Promise<ModelSettings> | undefined;

/** The model of the whole team. Opened on the first turn and not before: a process that only reads cards needs none. */
export function teamModel(): Promise<ModelSettings> {
  model ??= modelFromEnvironment ? Promise.resolve(modelFromEnvironment) : startScriptedModel();
  return model;
}
