#!/usr/bin/env node
// An older Node could not read the program: this file is all that it loads.
const { node } = process.versions;
if (Number.parseInt(node, 10) < 24) {
  const hint = 'In this folder: npm install node@24';
  process.stderr.write(`switchyard needs Node 24 or later: this is Node ${node}. ${hint}\n`);
  process.exit(1);
}
// Half of a start is compiling: Node keeps the result beside the packages, also for the programs that this one starts.
const [packages] = /^.*\/node_modules\//.exec(import.meta.resolve('commander')) ?? [];
if (packages) {
  const [{ enableCompileCache }, { fileURLToPath }] = await Promise.all([import('node:module'), import('node:url')]);
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(`${packages}.cache/switchyard`);
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
await import('@switchyard/cli/main');
