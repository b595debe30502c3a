import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { floatingImage } from './check-compose.ts';

interface Instruction {
  readonly name: string;
  readonly words: readonly string[];
}

/** Images that float, copies that lead nowhere, stages that do not exist, packages that are forgotten, root, a command without a file. */
export function checkDockerfile(text: string, root: string): string[] {
  const instructions = parseDockerfile(text);
  return [
    ...unknownStages(instructions),
    ...named(instructions, 'FROM').flatMap(([image]) =>
      image !== undefined && stagesIn(instructions).includes(image) ? [] : floatingImage(image),
    ),
    ...missingSources(instructions, root),
    ...forgottenPackages(instructions, root),
    ...(lastStage(instructions).some(({ name, words }) => name === 'USER' && words[0] !== 'root')
      ? []
      : ['runs as root']),
    ...missingCommand(instructions, root),
  ].map((problem) => `Dockerfile: ${problem}`);
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

/** A workspace whose package.json is not there when npm installs is left out of node_modules without a word. */
function forgottenPackages(instructions: readonly Instruction[], root: string): string[] {
  const copied = copiedFiles(instructions);
  return globSync(['{packages,apps,examples}/*/package.json', 'workshop/package.json'], { cwd: root })
    .filter((file) => !copied.includes(file))
    .map((file) => `does not copy ${file} before npm install`);
}

function missingCommand(instructions: readonly Instruction[], root: string): string[] {
  const file = named(lastStage(instructions), 'CMD')
    .at(-1)
    ?.join(' ')
    .match(/"([^"]+)"/)?.[1];
  return file && existsSync(join(root, file)) ? [] : [`CMD starts ${file}, which does not exist`];
}
