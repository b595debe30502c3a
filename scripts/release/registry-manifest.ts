import type { Manifest } from './workspaces.ts';

/** Node that the published programs run on, unless a package says otherwise; their bins say so, too. */
const usualEngines = { node: '>=24' };

/**
 * The package.json that goes to the registry: entries lead to what was built, and nothing is left that serves the
 * repository only.
 * @param repository of GitHub, `owner/name`: provenance wants to find it; unknown outside the release workflow
 */
export function registryManifest(manifest: Manifest, repository: string | undefined): object {
  const { name, version, description, license, type, bin, dependencies = {}, publishConfig } = manifest;
  const { engines = usualEngines } = manifest;
  const { optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  requireOneVersion(manifest);
  return {
    name,
    version,
    description,
    license,
    type,
    ...(repository && { repository: { type: 'git', url: `git+https://github.com/${repository}.git` } }),
    engines,
    exports: builtEntries(manifest),
    ...(bin && { bin }),
    dependencies,
    ...(optionalDependencies && { optionalDependencies }),
    ...(peerDependencies && { peerDependencies, peerDependenciesMeta }),
    publishConfig,
  };
}

/** All packages of a release have one version, and want each other in that version. */
function requireOneVersion({ name, version, dependencies, optionalDependencies }: Manifest): void {
  for (const [other, wanted] of Object.entries({ ...dependencies, ...optionalDependencies })) {
    if (other.startsWith('@switchyard/') && wanted !== version)
      throw new Error(`${name} ${version} wants ${other} in version ${wanted}: their versions are one`);
  }
}

function builtEntries({ exports = {} }: Manifest): Record<string, unknown> {
  const entries = Object.entries(typeof exports === 'string' ? { '.': exports } : exports);
  const built = entries.map(([entry, file]) => [entry, builtFile(file)]);
  return { ...Object.fromEntries(built), './package.json': './package.json' };
}

function builtFile(file: string): unknown {
  const [, path] = /^\.\/src\/(.+)\.ts$/.exec(file) ?? [];
  return path === undefined ? file : { types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` };
}
