import { spawnSync } from 'node:child_process';
import { basename, relative, resolve } from 'node:path';
import { help, readArguments, UsageError } from './arguments.ts';
import { addAgent, createFolder } from './create.ts';

function main(args: readonly string[]): number {
  const order = readArguments(args);
  if (order.kind === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if (order.kind === 'add') {
    const files = addAgent({ folder: process.cwd(), ...order });
    process.stdout.write(`Wrote ${files.join(' and ')}.\n\nRun it beside the first one, on two workers:\n\n`);
    process.stdout.write(`  npm run dev -- ./${order.name}.ts --workers 2\n\n`);
    return 0;
  }
  const folder = resolve(order.folder);
  const { name, files } = createFolder({ folder, template: order.template });
  process.stdout.write(`Wrote the agent "${name}" into ${folder}: ${files.join(', ')}.\n`);
  const isInstalled = order.install && install(folder);
  process.stdout.write(nextSteps(folder, isInstalled));
  return order.install && !isInstalled ? 1 : 0;
}

function install(folder: string): boolean {
  process.stdout.write('Installing its packages with npm …\n');
  // On Windows npm is a script, which only a shell runs; no argument comes from outside.
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status === 0) return true;
  process.stderr.write(`npm install failed: run it again in ${basename(folder)}.\n`);
  return false;
}

function nextSteps(folder: string, isInstalled: boolean): string {
  const place = relative(process.cwd(), folder);
  const steps = [
    ...(place === '' ? [] : [`cd ${/^[\w./-]+$/.test(place) ? place : JSON.stringify(place)}`]),
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
