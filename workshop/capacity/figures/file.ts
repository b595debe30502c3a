import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../simulation/outcome.ts';
import type { ScenarioName } from '../simulation/scenarios.ts';
import type { Figures } from './figures.ts';

/** What was measured, and what the simulations that it feeds came to. */
export interface CapacityFile {
  readonly figures: Figures;
  /** Tasks per second of the peak that was simulated. */
  readonly peak: number;
  readonly simulations: Readonly<Record<ScenarioName, Outcome>>;
}

export const resultsFolder = fileURLToPath(new URL('../../bench/results/', import.meta.url));
const file = join(resultsFolder, 'capacity.json');

export async function readCapacityFile(): Promise<CapacityFile> {
  return JSON.parse(await readFile(file, 'utf8')) as CapacityFile;
}

export async function writeCapacityFile(content: CapacityFile): Promise<void> {
  await mkdir(resultsFolder, { recursive: true });
  await writeFile(file, `${JSON.stringify(content, undefined, 1)}\n`);
}

/** With three digits that matter: no more were measured, and whoever computes from the file gets the same. */
export function asWritten<T>(content: T): T {
  return JSON.parse(JSON.stringify(content, rounded)) as T;
}

const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
