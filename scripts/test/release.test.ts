import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { registryManifest } from '../release/registry-manifest.ts';
import { released, withVersion } from '../release/versioned-files.ts';
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

describe('a published package', () => {
  it('has entries that lead to its build', () => {
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

  it('is refused if it needs another version of our packages', () => {
    const dependencies = { '@switchyard/agent': '^1.2.0' };
    expect(() => registryManifest({ ...manifest, dependencies }, undefined)).toThrow(/their versions are one/);
  });

  it('is published after its own dependencies', () => {
    const before = new Set<string>();
    for (const { manifest } of publishedWorkspaces()) {
      const needed = { ...manifest.dependencies, ...manifest.optionalDependencies };
      const ours = Object.keys(needed).filter((name) => name.startsWith('@switchyard/'));
      expect(ours.filter((name) => !before.has(name))).toEqual([]);
      before.add(manifest.name);
    }
  });
});

describe('the version of a release', () => {
  it('is the same in the packages, the chart and all other files that name it', () => {
    const [version = ''] = publishedWorkspaces().map(({ manifest }) => manifest.version);
    for (const [file, text] of withVersion(version)) expect(readFileSync(file, 'utf8'), file).toBe(text);
  });

  it('is written to each of these files, and nothing else changes there', () => {
    const next = withVersion('12.3.4-rc.5');
    const [version = ''] = publishedWorkspaces().map(({ manifest }) => manifest.version);
    expect(next.get('deploy/helm/switchyard/Chart.yaml')).toMatch(
      /^version: 12\.3\.4-rc\.5\nappVersion: "12\.3\.4-rc\.5"$/m,
    );
    for (const [file, text] of next) {
      expect(text).toContain('12.3.4-rc.5');
      expect(text.replaceAll('12.3.4-rc.5', version)).toBe(readFileSync(file, 'utf8'));
    }
  });

  it('becomes the heading of the unreleased changes, once', () => {
    const changelog = '# Changelog\n\n## Unreleased\n\n- A door\n';
    const after = released(changelog, '1.2.3', new Date('2027-01-02T03:04:05Z'));
    expect(after).toBe('# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2027-01-02\n\n- A door\n');
    expect(released(after, '1.2.3', new Date())).toBe(after);
  });
});
