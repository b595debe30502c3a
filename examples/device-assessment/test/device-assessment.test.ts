import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, runTurn } from '@switchyard/agent/testing';
import { describe, expect, it, vi } from 'vitest';
import assessment from '../agent.ts';
import { deviceName } from '../device-name.ts';

vi.hoisted(() => {
  process.env.ASSESSMENT_MS = '100';
});

describe('device assessment', () => {
  it('asks for the device, acknowledges, and completes with an assessment', async () => {
    const asked = await runTurn(assessment, 'Show me the configuration assessment from my device?');
    expect(asked.task.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { role: 'ROLE_AGENT', parts: [{ text: 'Which device do you refer to?' }] },
    });
    const { task, events } = await asked.say('The device name is router007');
    expect(events[0]?.statusUpdate?.status).toMatchObject({
      state: 'TASK_STATE_WORKING',
      message: { parts: [{ text: 'I am on it' }] },
    });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toEqual([
      {
        artifactId: expect.any(String),
        name: 'Configuration Assessment for router007',
        parts: [
          {
            text: 'Assessment summary for router007:\n- 42 checks performed\n- 5 critical findings\n- 12 high severity findings\n- 25 passed',
          },
        ],
      },
    ]);
  });

  it("ends the caller's blocking call with its acknowledgement", async () => {
    const port = new MemoryPort({ message: 'Assess router007' });
    await executeTurn(assessment, port);
    expect(port.published[0]).toMatchObject({ kind: 'status', answersCaller: true, settles: false });
  });

  it('stops when it is canceled', async () => {
    const { state, results } = await runTurn(assessment, 'Assess router007', { cancelAfter: 1 });
    expect([state, results]).toEqual(['TASK_STATE_CANCELED', {}]);
  });
});

describe('the name of a device', () => {
  it.each([
    ['The device name is router007', 'router007'],
    ['the device is core.', 'core'],
    ['Assess sw-12.', 'sw-12'],
    ['device called edge-a please', 'edge-a'],
    ['Show me the configuration assessment from my device?', undefined],
    ['all 42 of them', undefined],
    ['', undefined],
  ])('in "%s" is %s', (text, name) => {
    expect(deviceName(text)).toBe(name);
  });
});
