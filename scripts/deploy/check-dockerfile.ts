import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { floatingImage } from './check-compose.ts';

interface Instruction {
  readonly name: string;
  readonly words: readonly string[];
}

/** Images that float, copies that lead nowhere, stages that do not exist, root, commands that a shell would have to read. */
export function checkDockerfile(text: string, root: string): string[] {
  const instructions = parseDockerfile(text);
  const last = lastStage(instructions);
  return [
    ...unknownStages(instructions),
    ...named(instructions, 'FROM').flatMap(([image]) => (isFixed(image, instructions) ? [] : floatingImage(image))),
    ...missingSources(instructions, root),
    // A name would do for Docker; Kubernetes' runAsNonRoot believes a number only.
    ...(named(last, 'USER').some(([user = '']) => /^[1-9]\d*(?::\d+)?$/.test(user))
      ? []
      : ['USER is not a number but 0']),
    ...(named(last, 'HEALTHCHECK').length > 0 ? [] : ['has no HEALTHCHECK']),
    ...['ENTRYPOINT', 'CMD']
      .filter((name) => !named(last, name).some(([word = '']) => word.startsWith('["')))
      .map((name) => `${name} is no list of words, though there is no shell to read it`),
  ].map((problem) => `Dockerfile: ${problem}`);
}

/** Another stage; or an image of distroless, whose tags have no versions. */
function isFixed(image: string | undefined, instructions: readonly Instruction[]): boolean {
  return image !== undefined && (image.startsWith('gcr.io/distroless/') || stagesIn(instructions).includes(image));
}

function parseDockerfile(text: string): Instruction[] {
  return text
    .replace(/^\s*#.*$/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([name]) => name)
    .map(([name = '', ...words]) => ({ name: name.toUpperCase(), words }));
}

function named(instructions: readonly Instruction[], wanted: string): (readonly string[])[] {
  return instructions.filter(({ name }) => name === wanted).map(({ words }) => words);
}

function lastStage(instructions: readonly Instruction[]): readonly Instruction[] {
  return instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
}

function stagesIn(instructions: readonly Instruction[]): string[] {
  return named(instructions, 'FROM').flatMap(([, as, stage]) => (as?.toUpperCase() === 'AS' && stage) || []);
}

function unknownStages(instructions: readonly Instruction[]): string[] {
  const stages = stagesIn(instructions);
  return named(instructions, 'COPY')
    .flatMap((words) => words.find((word) => word.startsWith('--from='))?.slice('--from='.length) ?? [])
    .filter((stage) => !stages.includes(stage))
    .map((stage) => `no stage is called ${stage}`);
}

function copiedFiles(instructions: readonly Instruction[]): string[] {
  return named(instructions, 'COPY')
    .filter((words) => !words.some((word) => word.startsWith('--from=')))
    .flatMap((words) => words.slice(0, -1));
}

function missingSources(instructions: readonly Instruction[], root: string): string[] {
  return copiedFiles(instructions)
    .filter((file) => !existsSync(join(root, file)))
    .map((file) => `copies ${file}, which does not exist`);
}
