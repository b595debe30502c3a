import { describe, expect, it } from 'vitest';
import { registryManifest } from '../release/registry-manifest.ts';
import { type Manifest, publishedWorkspaces } from '../release/workspaces.ts';

const manifest: Manifest = {
  name: '@switchyard/desk',
  version: '1.2.3',
  description: 'A desk',
  license: 'Apache-2.0',
  type: 'module',
  exports: { '.': './src/index.ts', './page.html': './dist/page.html' },
  dependencies: { '@switchyard/agent': '1.2.3', zod: '^4.0.0' },
  publishConfig: { access: 'public' },
};

describe('what is published', () => {
  it('has entries that lead to what was built', () => {
    expect(registryManifest(manifest, 'owner/name')).toEqual({
      ...manifest,
      repository: { type: 'git', url: 'git+https://github.com/owner/name.git' },
      engines: { node: '>=24' },
      exports: {
        '.': { types: './dist/index.d.ts', default: './dist/index.js' },
        './page.html': './dist/page.html',
        './package.json': './package.json',
      },
    });
  });

  it('is refused when it wants another version of ours than its own', () => {
    const dependencies = { '@switchyard/agent': '^1.2.0' };
    expect(() => registryManifest({ ...manifest, dependencies }, undefined)).toThrow(/their versions are one/);
  });

  it('comes after what it depends on, all of which is published, too', () => {
    const before = new Set<string>();
    for (const { manifest } of publishedWorkspaces()) {
      const ours = Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith('@switchyard/'));
      expect(ours.filter((name) => !before.has(name))).toEqual([]);
      before.add(manifest.name);
    }
  });
});
