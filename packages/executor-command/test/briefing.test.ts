import { runTurn } from '@switchyard/agent/testing';
import type { Message } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { commandExecutor } from '../src/index.ts';
import { Bench } from './bench.ts';

describe('the briefing of a program', () => {
  it('consists of the role, the history, the instructions and the specifications, in files', async () => {
    await using bench = await Bench.open();
    const { port } = await bench.run('test -s CONTEXT.md -a -s INSTRUCTIONS.md -a -s SPECS.md', {
      briefing: () => ({
        role: 'Frontend engineer',
        capabilities: ['Writes components', 'Writes tests'],
        analysis: 'Users need to log in.',
        instructions: 'Build the login page.',
        successCriteria: ['It has two fields'],
        approach: ['Read the specification', 'Write the page'],
        specs: [{ agent: 'design', text: 'Two fields and a button.' }],
      }),
    });
    expect(port.current.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await bench.read(port, 'CONTEXT.md')).toBe(`# Context

## Role

Frontend engineer

## Capabilities

- Writes components
- Writes tests

## Task

- Task id: ${port.input.task.id}
- Context id: ${port.input.task.contextId}
- Attempt: 1

## History

This is the first message.

## Analysis

Users need to log in.
`);
    expect(await bench.read(port, 'INSTRUCTIONS.md')).toBe(`# Instructions

## What to do

Build the login page.

## Success criteria

- It has two fields

## Approach

1. Read the specification
2. Write the page

## Questions

If you need an answer before you can continue, write your question into QUESTION.md and stop: \
the answer will be in the next instructions.
`);
    expect(await bench.read(port, 'SPECS.md')).toBe('# Specifications\n\n## From design\n\nTwo fields and a button.\n');
  });

  it('has the message as its instructions by default, and no specifications if none are given', async () => {
    await using bench = await Bench.open();
    const { output } = await bench.run('cat INSTRUCTIONS.md; ls', {}, { message: 'Paint it blue' });
    expect(output).toContain('## What to do\n\nPaint it blue\n');
    expect(output).toContain('CONTEXT.md\n');
    expect(output).not.toContain('SPECS.md');
  });

  it('has the artifacts of the referenced tasks as specifications', async () => {
    await using bench = await Bench.open();
    const designer = agentThat(
      async (turn) => {
        await turn.artifact({ name: 'Design' }).finish('Two fields and a button.');
        return turn.complete();
      },
      { id: 'design' },
    );
    const builder = agentThat(commandExecutor({ command: '/bin/cat', args: ['SPECS.md'], workspaceRoot: bench.root }), {
      id: 'build',
    });
    const host = agentThat(async (turn) => {
      const design = await turn.call('design', 'Design it');
      const other = await turn.call('design', 'Design something else');
      const { state } = await turn.call('build', 'Build it', { referenceTaskIds: [design.taskId] });
      return turn.complete(`${state} ${other.state}`);
    });
    const { calls } = await runTurn(host, 'Build a login page', { agents: [designer, builder] });
    const built = calls.find(({ agent }) => agent === 'build')?.task;
    expect(built?.history?.[1]?.parts[0]?.text).toBe(
      '# Specifications\n\n## From design\n\n### Design\n\nTwo fields and a button.\n',
    );
  });

  it('has the artifacts of a task once, however often the message refers to it', async () => {
    await using bench = await Bench.open();
    const { port: design } = await bench.run('echo "Two fields." > design.md');
    const { id, contextId = '' } = design.current;
    const task = () => design.current;
    design.world.add('design', { task, cancel: () => undefined, outcome: new Promise(() => undefined) });
    const message: Message = {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'Build it' }],
      contextId,
      referenceTaskIds: Array.from({ length: 1_000 }, () => id),
    };
    const { output } = await bench.run('cat SPECS.md', {}, { message, world: design.world });
    expect(output.split('Two fields.')).toHaveLength(2);
  });

  it('has the history without the output of earlier programs', async () => {
    await using bench = await Bench.open();
    const { port } = await bench.run('echo noise; echo "Which one?" > QUESTION.md', {}, { message: 'Make a thing' });
    const { output } = await bench.run('cat CONTEXT.md', {}, { task: port.current, message: 'This one' });
    expect(output).toContain('## History\n\nUser: Make a thing\n\nAgent: Which one?\n');
    expect(output).not.toContain('noise');
  });

  it('mentions the earlier attempt in a second attempt', async () => {
    await using bench = await Bench.open();
    const { port } = await bench.run('exit 75');
    expect((await bench.again(port, 'cat CONTEXT.md')).output).toContain('- Attempt: 2\n\n## Earlier attempt\n');
  });

  it('has the files of the message as attachments, under their base names only', async () => {
    await using bench = await Bench.open();
    const raw = Buffer.from('{"a":1}').toString('base64');
    const message = [{ text: 'Look' }, { raw, filename: '../../etc/data.json' }, { raw, filename: '..' }];
    const { output } = await bench.run('cd attachments && ls && cat data.json', {}, { message });
    expect(output).toBe('data.json\nfile\n{"a":1}');
  });

  it('has files at URLs as attachments too, and does not run without one', async () => {
    await using bench = await Bench.open();
    const url = 'https://files.example/a';
    const message = [{ text: 'Look' }, { url, filename: 'film.txt' }, { url: 'https://example.com/page' }];
    const { output } = await bench.run('cat attachments/*', {}, { message, files: { [url]: 'A long film' } });
    expect(output).toBe('A long film');
    const { state, statusText } = await bench.run('echo ran', {}, { message });
    expect([state, statusText]).toEqual(['TASK_STATE_FAILED', expect.stringContaining(`There is no file ${url}.`)]);
  });

  it('has attachments of the same name, and of a long name, as files of their own', async () => {
    await using bench = await Bench.open();
    const part = (filename: string, content: string) => ({ raw: Buffer.from(content).toString('base64'), filename });
    const long = `${'名'.repeat(100)}.txt`;
    const message = [part('a/notes.md', 'A'), part('b/notes.md', 'B'), part(long, 'C')];
    const { output, state } = await bench.run('cd attachments && ls && cat notes* *.txt', {}, { message });
    expect(state).toBe('TASK_STATE_COMPLETED');
    expect(output).toMatch(/^notes-2\.md\nnotes\.md\n名{58}\.txt\nBAC$/);
  });

  it('replaces a link that a program has put in its place, and does not change the target of the link', async () => {
    await using bench = await Bench.open();
    const first = await bench.run(
      'echo precious > ../precious; rm CONTEXT.md; ln -s ../precious CONTEXT.md; echo q > QUESTION.md',
      { sandbox: 'off' },
    );
    const second = await bench.run(
      'cat ../precious; head -1 CONTEXT.md',
      { sandbox: 'off' },
      { task: first.port.current },
    );
    expect(second.output).toBe('precious\n# Context\n');
  });
});
