import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, type MemoryTurn } from '@switchyard/agent/testing';
import type { Task, TurnInput } from '@switchyard/protocol';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { type CommandSettings, commandExecutor } from '../src/index.ts';

export type Settings = Partial<Omit<CommandSettings, 'workspaceRoot'>>;

/** Runs turns of commands in a folder of workspaces. A command is a shell line unless the settings say otherwise. */
export class Bench implements AsyncDisposable {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async open(): Promise<Bench> {
    return new Bench(await mkdtemp(join(tmpdir(), 'switchyard-command-')));
  }

  begin(command: string, settings: Settings = {}, turn: Partial<MemoryTurn> = {}) {
    const port = new MemoryPort({ message: 'Build it', ...turn });
    const execute = commandExecutor({
      command,
      shell: true,
      updateEveryMs: 50,
      killAfterMs: 500,
      ...settings,
      workspaceRoot: this.root,
    });
    const result = executeTurn(agentThat(execute), port, { graceMs: 3_000 });
    return { port, result };
  }

  async run(command: string, settings: Settings = {}, turn: Partial<MemoryTurn> = {}) {
    const { port, result } = this.begin(command, settings, turn);
    return { port, result: await result, ...summaryOf(port.current), output: outputOf(port) };
  }

  /** Runs the next attempt at the same message. */
  again(port: MemoryPort, command: string, settings: Settings = {}) {
    return this.run(command, settings, {
      message: port.input.message,
      task: port.current,
      attempt: port.input.attempt + 1,
    });
  }

  workspace({ input }: MemoryPort): string {
    return join(this.root, input.task.id);
  }

  read({ input }: { readonly input: Pick<TurnInput, 'task'> }, file: string): Promise<string> {
    return readFile(join(this.root, input.task.id, file), 'utf8');
  }

  write({ input }: { readonly input: Pick<TurnInput, 'task'> }, file: string): Promise<void> {
    return writeFile(join(this.root, input.task.id, file), '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

function summaryOf({ status, artifacts = [] }: Task) {
  return { state: status.state, statusText: status.message?.parts[0]?.text, artifacts };
}

/** The texts of the working updates, joined. */
export function outputOf({ published }: MemoryPort): string {
  return updatesOf(published).join('');
}

export function updatesOf(published: MemoryPort['published']): string[] {
  return published.flatMap((event) =>
    event.kind === 'status' && event.state === 'TASK_STATE_WORKING' && event.message
      ? [event.message.parts[0]?.text ?? '']
      : [],
  );
}
