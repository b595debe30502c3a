import { spawnSync } from 'node:child_process';
import { basename, relative, resolve } from 'node:path';
import { help, readArguments, UsageError } from './arguments.ts';
import { addAgent, createFolder } from './create.ts';

function main(args: readonly string[]): number {
  const command = readArguments(args);
  if (command.kind === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if (command.kind === 'add') {
    const files = addAgent({ folder: process.cwd(), ...command });
    process.stdout.write(`Wrote ${files.join(' and ')}.\n\nRun both agents, on two workers:\n\n`);
    process.stdout.write(`  npm run dev -- ./${command.name}.ts --workers 2\n\n`);
    return 0;
  }
  const folder = resolve(command.folder);
  const { name, files } = createFolder({ folder, template: command.template });
  process.stdout.write(`Wrote the agent "${name}" into ${folder}: ${files.join(', ')}.\n`);
  const isInstalled = command.install && install(folder);
  process.stdout.write(nextSteps(folder, isInstalled));
  return command.install && !isInstalled ? 1 : 0;
}

function install(folder: string): boolean {
  process.stdout.write('Installing its packages with npm …\n');
  // On Windows npm is a script, which needs a shell. The arguments are constant, so a shell is safe.
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === 0) return true;
  process.stderr.write(`npm install failed: run it again in ${basename(folder)}.\n`);
  return false;
}

function nextSteps(folder: string, isInstalled: boolean): string {
  const path = relative(process.cwd(), folder);
  const steps = [
    ...(path === '' ? [] : [`cd ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`]),
    ...(isInstalled ? [] : ['npm install']),
    'npm test',
    'npm run dev',
  ];
  return `\nNext:\n\n${steps.map((step) => `  ${step}\n`).join('')}\n`;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
