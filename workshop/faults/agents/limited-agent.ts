import { defineAgent } from '@switchyard/agent';
import { limitsOf } from '../workload/scenario.ts';
import { holdPlace } from './hold-place.ts';

/** Of its turns some may run at a time. */
export default defineAgent({
  id: 'limited-agent',
  concurrency: 20,
  card: { name: 'Limited agent', description: 'Has a limit, for the fault suite.', version: '1.0.0', skills: [] },
  limits: { running: limitsOf.limited.running },
  execute: (turn) => holdPlace(turn, '-'),
});
