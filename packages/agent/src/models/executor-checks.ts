import { type SettingCheck, settingCheck } from '../checks/setting-checks.ts';
import type { ArtifactOptions } from '../turn/artifact-writer.ts';
import type { StructuredAnswer } from './delivery.ts';
import type { ModelExecutorSettings } from './model-executor.ts';
import type { Tool } from './tools.ts';

const { anyText, atLeast, fields, flag, function: aFunction, listOf, object, recordOf, required } = settingCheck;
const { oneOf, schema, text, that } = settingCheck;

const nameForModel = that(
  (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  'must be letters, digits, "_" and "-", at most 64',
);

/** Of `artifact`, in settings of executors. */
export const artifactCheck: SettingCheck = fields({
  name: required(text),
  description: anyText,
  mediaType: text,
  artifactId: text,
  metadata: object,
  extensions: listOf(text),
  keepsChunksApart: flag,
} satisfies Record<keyof ArtifactOptions, SettingCheck>);

const aTool = fields({
  description: required(anyText),
  parameters: required(schema),
  run: required(aFunction),
} satisfies Record<keyof Tool<never>, SettingCheck>);

const tools: SettingCheck = (value, name) => [
  ...recordOf(required(aTool))(value, name),
  ...Object.keys(Object(value)).flatMap((key) => nameForModel(key, `the name of ${name}.${key}`)),
];

/** Checks of `ModelExecutorSettings`, for `checkSettings`. */
export const modelExecutorChecks = {
  system: anyText,
  historyLength: atLeast(0),
  files: listOf(text),
  maxFileBytes: atLeast(0),
  otherFiles: oneOf('by-name', 'fail'),
  artifact: artifactCheck,
  structured: fields({
    name: required(nameForModel),
    schema: required(schema),
    toOutcome: aFunction,
  } satisfies Record<keyof StructuredAnswer<unknown>, SettingCheck>),
  tools,
  maxToolRounds: atLeast(0),
} satisfies Record<keyof ModelExecutorSettings<unknown>, SettingCheck>;
