import { expect, it } from 'vitest';
import { startProgram } from '../../tests/support/process.ts';

// Their figures depend on the machine, and so does whether bars are held. That they are printed does not: they may run
// at once.
it.concurrent.each([
  [
    'bench/run.ts',
    ['--rounds', '1', 'curve-blocking-8'],
    /^\| SendMessage blocking, 8 callers \| Switchyard, durable /m,
  ],
  [
    'bench/before-after.ts',
    ['--tree', '.', '--rounds', '1', 'curve-blocking-8'],
    /after [\d.,]+ tasks.*before [\d.,]+ tasks/,
  ],
  [
    'bench/before-after.ts',
    ['--tree', '.', '--archive', '--round', '2s', '--rounds', '1', 'curve-blocking-8'],
    /after [\d.,]+ tasks.*before [\d.,]+ tasks.*copies a second \d/,
  ],
  ['bench/latency.ts', ['--rounds', '10'], /^ +SendMessage, returnImmediately +[\d.]+ ms/m],
  ['bench/telemetry.ts', ['--starts', '1', '--rounds', '4', '--tasks', '20'], /^\| traces of 1 % \| +\d/m],
  ['capacity/main.ts', ['--short'], /^publications: \{"copy":/m],
])('%s measures to its end', async (file, args, figures) => {
  const program = await startProgram({ file: `workshop/${file}`, args });
  const code = await program.exited;
  expect(program.output()).toMatch(figures);
  expect(code, program.output()).toBe(0);
});
