#!/usr/bin/env node
// An older Node could not read the program: this file is all that it loads.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(`switchyard needs Node 24 or later: this is Node ${process.versions.node}\n`);
  process.exit(1);
}
await import('@switchyard/cli/main');
