#!/usr/bin/env node
// The folder that it makes brings Node 24 for its own scripts; this program itself runs on what is there.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 17)) {
  process.stderr.write(`create-switchyard needs Node 20.17 or later: this is Node ${process.versions.node}\n`);
  process.exit(1);
}
await import('@switchyard/create/main');
