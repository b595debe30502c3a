import { MemoryPort } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { ModelEndpoint, type Script, send } from '../../../tests/support/model-endpoint.ts';
import { converse, order, report, type Settings } from './ask.ts';

describe('a turn that another worker has taken over', () => {
  it('sends no request to the model', async () => {
    await using endpoint = new ModelEndpoint((response) => send(response, ['Hello']));
    const port = new MemoryPort({ message: 'Hello' });
    port.refuse();
    await expect(converse(await endpoint.start(), port)).resolves.toMatchObject({ reason: { kind: 'taken-over' } });
    expect(endpoint.requests).toHaveLength(0);
  });
});

describe('a turn that is canceled', () => {
  const scripts: [string, Script, Settings][] = [
    ['before the first chunk', () => undefined, {}],
    ['in the middle of a stream', (response) => send(response, ['Hel']), report],
    ['during a structured answer', () => undefined, order],
  ];

  it.each(scripts)('closes the connection to the model %s', async (_, script, settings) => {
    await using endpoint = new ModelEndpoint(script);
    const port = new MemoryPort({ message: 'Hello' });
    const turn = converse(await endpoint.start(), port, settings);
    await endpoint.asked;
    if (settings === report) await port.until(({ artifacts }) => artifacts !== undefined);
    port.interrupt('canceled');
    await expect(turn).resolves.toMatchObject({ kind: 'interrupted', reason: { kind: 'canceled' } });
    await expect(endpoint.answeredWholly).resolves.toBe(false);
  });
});
