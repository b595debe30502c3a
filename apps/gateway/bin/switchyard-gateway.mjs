#!/usr/bin/env node
// An older Node could not read the program: this file is all that it loads.
const { node } = process.versions;
if (Number.parseInt(node, 10) < 24) {
  const hint = 'In this folder: npm install node@24';
  process.stderr.write(`switchyard-gateway needs Node 24 or later: this is Node ${node}. ${hint}\n`);
  process.exit(1);
}
await import('@switchyard/gateway/main');
