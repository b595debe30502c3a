import type { AgentReading } from '@switchyard/operator-api';
import type { Colour } from '../../design/state.tsx';

/** How an agent does, in a word. */
export function health({ workers, paused }: AgentReading): { readonly colour: Colour; readonly word: string } {
  if (paused) return { colour: 'amber', word: 'Paused' };
  if (workers === 0) return { colour: 'red', word: 'No worker' };
  return { colour: 'green', word: 'Ready' };
}
