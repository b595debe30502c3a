import type { Failure } from '@switchyard/operator-api';

const kinds: Readonly<Record<Failure['kind'], string>> = {
  threw: 'The agent’s code threw',
  'ended-by-agent': 'The agent ended it so',
  'input-refused': 'Not the input of the agent',
  'model-refused': 'A model refused',
  'remote-refused': 'A remote agent refused',
  'file-refused': 'A file cannot be read or stored',
  'program-failed': 'The program failed',
  misuse: 'The agent used its turn wrongly',
  'over-limit': 'Over a limit',
  'budget-spent': 'A budget is spent',
  'timed-out': 'Took too long',
  'retry-asked': 'The agent asked for another attempt',
  'call-failed': 'A called agent failed',
  'not-begun': 'Not begun in its time to live',
  'worker-lost': 'Its worker was lost',
  'worker-blocked': 'The agent blocked its worker',
  'worker-exited': 'The agent ended its worker',
  'not-written': 'Redis was not reached',
  canceled: 'Canceled',
  'taken-over': 'Another worker took it over',
  shutdown: 'Its worker was stopped',
};

/** A kind of failure, for people. */
export function kindText(kind: Failure['kind']): string {
  return kinds[kind];
}
