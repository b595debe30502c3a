import type { ModelSettings } from '@switchyard/executor-openai';
import { modelFromEnvironment } from '../config.ts';
import { startScriptedModel } from '../model/scripted-model.ts';

let model: Promise<ModelSettings> | undefined;

/** The team's model. Opened on the first turn, because a process that only reads cards needs none. */
export function teamModel(): Promise<ModelSettings> {
  model ??= modelFromEnvironment ? Promise.resolve(modelFromEnvironment) : startScriptedModel();
  return model;
}
