#!/usr/bin/env node
// An older Node could not read the program: this file is all that it loads.
const { node } = process.versions;
if (Number.parseInt(node, 10) < 24) await runWithNodeBeside();
else await run();

/** npm can install a newer Node as a package: npm install node@24. */
async function runWithNodeBeside() {
  const [{ spawn }, { existsSync }, { constants }, { fileURLToPath }] = await Promise.all([
    import('node:child_process'),
    import('node:fs'),
    import('node:os'),
    import('node:url'),
  ]);
  const own = fileURLToPath(import.meta.url);
  const folders = own.split('/').map((_, i, parts) => parts.slice(0, i).join('/'));
  const beside = folders.map((folder) => `${folder}/node_modules/node/bin/node`).filter((file) => existsSync(file));
  const newer = beside[beside.length - 1];
  if (newer === undefined) {
    const hint = 'In this folder: npm install node@24';
    process.stderr.write(`switchyard needs Node 24 or later: this is Node ${node}. ${hint}\n`);
    process.exit(1);
  }
  const child = spawn(newer, [own, ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
}

async function run() {
  // Half of a start is compiling: Node keeps the result beside the packages, also for the programs that this one starts.
  const [packages] = /^.*\/node_modules\//.exec(import.meta.resolve('commander')) ?? [];
  if (packages) {
    const [{ enableCompileCache }, { fileURLToPath }] = await Promise.all([import('node:module'), import('node:url')]);
    process.env.NODE_COMPILE_CACHE ??= fileURLToPath(`${packages}.cache/switchyard`);
    enableCompileCache(process.env.NODE_COMPILE_CACHE);
  }
  await import('@switchyard/cli/main');
}
