#!/usr/bin/env node
// A created folder installs Node 24 for its scripts, but this program runs with the Node of the user.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 17)) {
  process.stderr.write(`create-switchyard needs Node 20.17 or later: this is Node ${process.versions.node}\n`);
  process.exit(1);
}
await import('@switchyard/create/main');
