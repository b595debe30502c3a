import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A package.json of the tree, as far as a release needs it. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license: string;
  readonly type: string;
  /** Entries of the package, which lead to its sources. */
  readonly exports?: string | Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  /** Where it runs on an older Node than the others. */
  readonly engines?: Readonly<Record<string, string>>;
  /** What of the folder is published; default: `bin` and `dist`. */
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Without them a package offers less: of `switchyard`, what only calls agents. */
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  /** Only what is published has it. */
  readonly publishConfig?: Readonly<Record<string, unknown>>;
}

export interface Workspace {
  /** Without the scope: `agent`. */
  readonly shortName: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The workspaces that are published, each after those that it depends on. */
export function publishedWorkspaces(): Workspace[] {
  const files = globSync('{packages,apps}/*/package.json', { cwd: root }).sort();
  const published = files.map((file) => readWorkspace(join(root, file))).filter(isPublished);
  return inOrder(published);
}

function readWorkspace(file: string): Workspace {
  const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  return { shortName: manifest.name.replace(/^@switchyard\//, ''), folder: dirname(file), manifest };
}

function isPublished({ manifest }: Workspace): boolean {
  return manifest.publishConfig !== undefined;
}

function inOrder(workspaces: readonly Workspace[]): Workspace[] {
  const ordered = new Set<Workspace>();
  const add = (workspace: Workspace): void => {
    const { dependencies, optionalDependencies } = workspace.manifest;
    const needed = { ...dependencies, ...optionalDependencies };
    for (const other of workspaces) if (other.manifest.name in needed) add(other);
    ordered.add(workspace);
  };
  workspaces.forEach(add);
  return [...ordered];
}
