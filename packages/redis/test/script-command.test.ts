import { Command } from 'ioredis';
import { expect, it } from 'vitest';
import { ScriptCommand } from '../src/script-command.ts';

it('a ScriptCommand writes the same bytes as a Command of ioredis', () => {
  const args = ['', 'key', 'a'.repeat(511), 'b'.repeat(512), 'é€😀', '\r\n$3\r\n', '-0.5'];
  for (const given of [[], args]) {
    const values = ['0123456789abcdef', given.length, ...given];
    expect(new ScriptCommand('evalsha', values).toWritable()).toBe(new Command('evalsha', values).toWritable({}));
  }
});
