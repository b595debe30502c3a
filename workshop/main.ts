// `npm run workshop -- <what> [options]`: measurements and searches that are run now and then. `<what> --help` prints
// the options of one.

// biome-ignore lint/style/noRestrictedImports: the command has the terminal, and ends with Ctrl-C like this program
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

interface Command {
  /** Relative to this folder. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly does: string;
}

const vitest = '../node_modules/vitest/vitest.mjs';

const commands: Readonly<Record<string, Command>> = {
  curve: {
    file: 'bench/run.ts',
    args: ['curve', '--passes', '4', '--rounds', '2', '--minutes', '11'],
    does: 'tasks a second over 1 to 256 callers, beside peers (eleven minutes)',
  },
  'before-after': { file: 'bench/before-after.ts', does: 'rows of the bench beside an earlier commit' },
  replicas: { file: 'bench/replicas.ts', does: 'tasks a second over gateways and Redis masters (six minutes)' },
  latency: { file: 'bench/latency.ts', does: 'how long one caller waits' },
  telemetry: { file: 'bench/telemetry.ts', does: 'what traces cost' },
  capacity: { file: 'capacity/main.ts', does: 'what each operation costs gateway, worker and Redis (two minutes)' },
  overload: { file: 'load/overload.ts', does: 'more messages than can be handled' },
  'slow-clients': { file: 'load/slow-clients.ts', does: 'readers that are too slow' },
  fairness: { file: 'load/fairness.ts', does: 'a tenant beside one that sends too much' },
  suspended: { file: 'load/suspended.ts', does: '100,000 turns that wait: memory, rest, and all due at once' },
  places: { file: 'load/places.ts', does: "an agent's limit over twenty workers that are killed (some minutes)" },
  pace: { file: 'load/pace.ts', does: 'tokens per minute of a model over workers that are killed (ten minutes)' },
  archive: { file: 'archive/main.ts', does: 'lists and searches of 2,000,000 tasks in PostgreSQL (some minutes)' },
  soak: { file: 'faults/soak.ts', does: 'memory over 200,000 tasks (four minutes); also with "archive"' },
  files: { file: 'load/files.ts', does: 'a file of 2 GiB through gateway and worker, beside its folder or bucket' },
  raw: { file: 'load/raw.ts', does: 'messages with raw parts of 1 MiB: in Redis, and as files (two minutes)' },
  upgrade: { file: 'upgrade/main.ts', does: 'replaces the previous release under load, and back (two minutes)' },
  fuzz: { file: 'fuzz/main.ts', does: 'random bytes and objects for the gateway' },
  model: { file: '../packages/store/test/model/explore.mjs', does: 'every interleaving of the rules of turns' },
  outside: {
    file: vitest,
    args: ['run', 'tests/outside', '--testTimeout', '1800000'],
    env: { OUTSIDE_STREAMS: '10000' },
    does: '10,000 correct answers in odd forms for each executor (a quarter of an hour)',
  },
  structure: { file: '../scripts/structure.ts', does: "figures of the sources, and the files of a SendMessage's way" },
};

const usage = [
  'npm run workshop -- <what> [options]',
  ...Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(14)} ${does}`),
].join('\n');

const [name = '--help', ...given] = process.argv.slice(2);
const command = commands[name];
if (command) run(command);
else {
  process.exitCode = name === '--help' ? 0 : 2;
  process.stdout.write(`${name === '--help' ? '' : `${name}: there is no such command\n`}${usage}\n`);
}

function run({ file, args = [], env }: Command): void {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [path, ...args, ...given], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  // The terminal sends Ctrl-C to both.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
}
