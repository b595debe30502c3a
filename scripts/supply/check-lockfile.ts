export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  /** Whether a package's install script may run. */
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

const registry = 'https://registry.npmjs.org/';

/** Terms that suit an Apache-2.0 project: none asks for more than a notice. MPL-2.0: only of its own, unchanged files. */
const licences = new Set(['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);
licences.add('MPL-2.0').add('Unlicense').add('CC0-1.0');

/** They state their licence, MIT, in a form that npm does not read. Used by testcontainers only. */
const licencesReadByHand = new Set(['buildcheck', 'cpu-features', 'ssh2']);

/** The one program that comes as a package: Node itself. */
const mayRunScripts = new Set(['node']);

/** What of the lock file, and of the manifests by their paths, must not be. */
export function checkLockfile({ packages }: Lockfile, manifests: Readonly<Record<string, Manifest>>): string[] {
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  const named = installed.map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ''), locked }));
  return [
    ...named.flatMap(({ name, locked }) => problemsOf(name, locked).map((problem) => `package-lock.json: ${problem}`)),
    ...scriptProblems(named, manifests['package.json']?.allowScripts ?? {}),
    ...missingOptionals(packages),
    ...Object.entries(manifests).flatMap(([file, manifest]) => sourceProblems(manifest).map((it) => `${file}: ${it}`)),
  ];
}

function problemsOf(name: string, { resolved, integrity = '', license = '' }: LockedPackage): string[] {
  return [
    ...(resolved === undefined || resolved.startsWith(registry) ? [] : [`${name} comes from ${resolved}`]),
    ...(integrity.startsWith('sha512-') ? [] : [`${name} has no sha512 hash`]),
    ...(isAllowed(license) || licencesReadByHand.has(name) ? [] : [`${name} has the licence "${license}"`]),
  ];
}

/**
 * npm leaves out what the registry at hand does not offer for another system; npm ci refuses such a lock file, but where
 * the package that wants it is optional itself.
 */
function missingOptionals(packages: Lockfile['packages']): string[] {
  const names = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
  return Object.entries(packages).flatMap(([path, { optional = false, optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !optional && !names.has(name))
      .map((name) => `package-lock.json: ${name} is missing, which ${path} has for another system: npm ci refuses it`),
  );
}

/** Of alternatives one must be allowed, of terms that hold together all. */
function isAllowed(licence: string): boolean {
  const terms = licence.replaceAll(/[()]/g, '');
  return terms.split(' OR ').some((alternative) => alternative.split(' AND ').every((term) => licences.has(term)));
}

function scriptProblems(
  named: readonly { readonly name: string; readonly locked: LockedPackage }[],
  allowScripts: Readonly<Record<string, boolean>>,
): string[] {
  const withScripts = new Set(named.filter(({ locked }) => locked.hasInstallScript).map(({ name }) => name));
  return [
    ...[...withScripts]
      .filter((name) => allowScripts[name] === undefined)
      .map((name) => `allowScripts does not say whether ${name} may run its install script`),
    ...Object.entries(allowScripts)
      .filter(([name, isAllowed]) => !withScripts.has(name) || (isAllowed && !mayRunScripts.has(name)))
      .map(([name]) => `allowScripts names ${name}, which has no install script or needs none`),
  ].map((problem) => `package.json: ${problem}`);
}

/** A version, a range, a workspace or an alias of those: no address of a repository, a file or a folder. */
function sourceProblems({ dependencies, devDependencies, optionalDependencies }: Manifest): string[] {
  return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    .filter(([, wanted]) => !/^(?:npm:@?[\w./-]+@)?[~^]?\d+(?:\.\d+){0,2}[\w.-]*$/.test(wanted))
    .map(([name, wanted]) => `${name} is wanted as "${wanted}", which is no version of the registry`);
}
