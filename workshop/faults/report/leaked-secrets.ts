import type { Program } from '../../../tests/support/process.ts';
import type { Violation } from './violations.ts';

/** Lines of any process' output in which one of the secrets stands. */
export function leakedSecrets(programs: readonly Program[], secrets: readonly string[]): Violation[] {
  const lines = programs.flatMap((program) => program.output().split('\n'));
  return secrets.flatMap((secret) =>
    lines
      .filter((line) => line.includes(secret))
      .map((line): Violation => ({ kind: 'secrets', what: `${secret} in ${around(line, line.indexOf(secret))}` })),
  );
}

const around = (line: string, at: number): string => line.slice(Math.max(0, at - 150), at + 100);
