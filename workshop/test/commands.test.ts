import { expect, it } from 'vitest';
import { startProgram } from '../../tests/support/process.ts';

/** Runs a command in a short form. @returns its exit code and all that it printed */
async function run(file: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const program = await startProgram({ file, args });
  return { code: await program.exited, output: program.output() };
}

// Their figures depend on the machine, and so does whether bars are held. That they are printed does not.
it.each([
  [
    'bench/run.ts',
    ['--rounds', '1', 'curve-blocking-8'],
    /^\| SendMessage blocking, 8 callers \| Switchyard, durable /m,
  ],
  [
    'bench/before-after.ts',
    ['--tree', '.', '--rounds', '1', 'curve-blocking-8'],
    /after [\d,]+ tasks.*before [\d,]+ tasks/,
  ],
  ['bench/latency.ts', ['--rounds', '10'], /^ +SendMessage, returnImmediately +[\d.]+ ms/m],
  ['bench/telemetry.ts', ['--starts', '1', '--rounds', '4', '--tasks', '20'], /^\| traces of 1 % \| +\d/m],
  ['capacity/main.ts', ['--short'], /^publications: \{"copy":/m],
])(
  '%s measures to its end',
  async (file, args, figures) => {
    const { code, output } = await run(`workshop/${file}`, args);
    expect(output).toMatch(figures);
    expect(code, output).toBe(0);
  },
  400_000,
);

it('faults/soak.ts: Redis is as small after 4,000 tasks as after 1,500', async () => {
  const { output } = await run('workshop/faults/soak.ts', ['--tasks', '4000', '--segments', '8']);
  const [, percent] = /growth of redis .*? ([-\d.]+) %$/m.exec(output) ?? [];
  expect(Number(percent), output).toBeLessThanOrEqual(5);
}, 600_000);
