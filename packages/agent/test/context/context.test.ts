import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../../tests/support/agent-that.ts';
import { Turn } from '../../src/index.ts';
import { MemoryPort, runTurn } from '../../src/testing/index.ts';
import { MemoryWorld } from '../../src/testing/memory-world.ts';

describe('the context of a turn', () => {
  it('has the other tasks of the context with their results, also the task of the caller', async () => {
    const design = agentThat((turn) => turn.complete(`design of ${turn.text}`), { id: 'design' });
    const build = agentThat(
      async (turn) => {
        const others = await turn.otherTasks();
        return turn.complete(
          others.map(({ agent, task }) => `${agent}: ${task.status.message?.parts[0]?.text}`).join(),
        );
      },
      { id: 'build' },
    );
    const host = agentThat(async (turn) => {
      await turn.call('design', 'a login');
      return turn.complete((await turn.call('build', 'it')).text);
    });
    const { answer } = await runTurn(host, 'A login, please', { agents: [design, build] });
    expect(answer).toBe('design: design of a login,subject: undefined');
  });
});

describe('the memory of a context', () => {
  function turnIn(world: MemoryWorld, contextId: string, agent = 'agent'): Turn {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, contextId, parts: [{ text: 'Hi' }] };
    return new Turn(new MemoryPort({ message, world, agent }));
  }

  it('is shared by the tasks of one agent in one context only', async () => {
    const world = new MemoryWorld();
    expect(await turnIn(world, 'a').memory.get()).toBeUndefined();
    await turnIn(world, 'a').memory.set({ name: 'Ada' });
    expect(await turnIn(world, 'a').memory.get()).toEqual({ name: 'Ada' });
    expect(await turnIn(world, 'b').memory.get()).toBeUndefined();
    expect(await turnIn(world, 'a', 'other').memory.get()).toBeUndefined();
  });

  it('has a version; setIf replaces the value only if the given version is current', async () => {
    const { memory } = turnIn(new MemoryWorld(), 'a');
    expect(await memory.read()).toEqual({ value: undefined, version: 0 });
    expect(await memory.set('one')).toBe(1);
    expect(await memory.setIf(0, 'two')).toBeUndefined();
    expect(await memory.setIf(1, 'two')).toBe(2);
    expect(await memory.read()).toEqual({ value: 'two', version: 2 });
  });

  it('loses no update of concurrent turns', async () => {
    const world = new MemoryWorld();
    const turns = Array.from({ length: 10 }, () => turnIn(world, 'a'));
    await Promise.all(turns.map((turn) => turn.memory.update<number>((count = 0) => count + 1)));
    expect(await turnIn(world, 'a').memory.get()).toBe(10);
  });

  it('waits for the new value if an update makes it asynchronously', async () => {
    const { memory } = turnIn(new MemoryWorld(), 'a');
    expect(await memory.update<number>(async (count = 0) => count + 1)).toBe(1);
    expect(await memory.get()).toBe(1);
  });

  it('refuses a value that is not JSON', async () => {
    const { memory } = turnIn(new MemoryWorld(), 'a');
    await expect(memory.set(undefined)).rejects.toThrow('The memory of a context is a JSON value, not undefined');
  });
});
