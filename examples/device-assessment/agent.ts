import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';
import { assessmentMs } from './config.ts';
import { deviceName } from './device-name.ts';

export default defineAgent({
  id: 'device-assessment',
  card: {
    name: 'Device assessment',
    description:
      'Assesses the configuration of a network device. It asks which one if you do not say, and takes its time.',
    version: '1.0.0',
    skills: [
      {
        id: 'assess-configuration',
        name: 'Assess a configuration',
        description: 'Checks the configuration of a device and reports what it found by severity.',
        tags: ['network', 'security'],
        examples: ['Show me the configuration assessment for router007'],
      },
    ],
  },
  async execute(turn) {
    const device = deviceName(turn.text);
    if (!device) return turn.requireInput('Which device do you refer to?');
    await turn.acknowledge('I am on it');
    const report = await assess(device, turn.signal);
    await turn.artifact({ name: `Configuration Assessment for ${device}` }).finish(report);
    return turn.complete();
  },
});

/** Simulates work that takes longer than a client should wait. */
async function assess(device: string, signal: AbortSignal): Promise<string> {
  await delay(assessmentMs, undefined, { signal });
  return [
    `Assessment summary for ${device}:`,
    '- 42 checks performed',
    '- 5 critical findings',
    '- 12 high severity findings',
    '- 25 passed',
  ].join('\n');
}
