import { defineAgent } from '@switchyard/agent';
import { groupOf, limitsOf } from '../workload/scenario.ts';
import { holdPlace } from './hold-place.ts';

const { running, runningPerKey, startsPerMinute } = limitsOf.keyed;

/** Has every limit. The key of a message is the group of its scenario. */
export default defineAgent({
  id: 'keyed-agent',
  concurrency: 20,
  card: { name: 'Keyed agent', description: 'Has limits, for the fault suite.', version: '1.0.0', skills: [] },
  limits: {
    running,
    runningPer: ({ parts }) => groupOf(parts[0]?.text ?? ''),
    runningPerKey,
    starts: `${startsPerMinute}/m`,
  },
  execute: (turn) => holdPlace(turn, groupOf(turn.text)),
});
