import { asWritten, readCapacityFile, resultsFolder, writeCapacityFile } from './figures/file.ts';
import { measure } from './measure/measure.ts';
import { type Options, readOptions, usage } from './options.ts';
import { defaultLoad } from './plan/load.ts';
import { computedTables, planTable } from './report/computed.ts';
import { writeDocument } from './report/document.ts';
import { writePictures } from './report/pictures.ts';
import { simulatedTable } from './report/simulated.ts';
import { runScenarios } from './simulation/run-scenarios.ts';

/** Tasks per second of the peak that is simulated, unless told otherwise. */
const PEAK = 2_500;

/** npm run capacity: see `usage`. */
async function main(options: Options): Promise<void> {
  const commands = { plan, measure: measureAll, simulate: simulateAnew, help };
  await commands[options.command](options);
}

async function help(): Promise<void> {
  process.stdout.write(usage);
}

async function measureAll(): Promise<void> {
  const figures = asWritten(await measure((line) => void process.stderr.write(`${line}\n`)));
  const { simulations, seconds } = runScenarios(figures, { ...defaultLoad, tasksPerSecond: PEAK }, 1);
  const file = asWritten({ figures, peak: PEAK, simulations });
  await writeCapacityFile(file);
  await writePictures(resultsFolder, seconds);
  await writeDocument(file);
  process.stdout.write(
    'workshop/bench/results/capacity.json, its pictures and the tables of docs/scaling.md are written\n',
  );
}

async function plan({ load }: Options): Promise<void> {
  const { figures } = await readCapacityFile();
  const { tasksPerSecond, pollsPerSecond, openStreams, chunksPerSecond } = load;
  const isAsked = tasksPerSecond + pollsPerSecond + openStreams + chunksPerSecond > 0;
  process.stdout.write(`${isAsked ? planTable(figures, load) : computedTables(figures)}\n`);
}

async function simulateAnew({ load, seed, pictures }: Options): Promise<void> {
  const { figures } = await readCapacityFile();
  const peak = load.tasksPerSecond || PEAK;
  const { simulations, seconds } = runScenarios(figures, { ...load, tasksPerSecond: peak }, seed);
  process.stdout.write(`${simulatedTable({ figures, peak, simulations })}\n`);
  if (pictures !== undefined) await writePictures(pictures, seconds);
}

function optionsOf(args: readonly string[]): Options {
  try {
    return readOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

await main(optionsOf(process.argv.slice(2)));
