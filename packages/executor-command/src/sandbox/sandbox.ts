/** The paths of a sandbox. All are absolute, and are the same inside and outside. */
export interface SandboxPaths {
  /** The folder of all workspaces: inside it has only the program's own. */
  readonly workspaceRoot: string;
  /** The one folder that the program may change. */
  readonly workspace: string;
  /** Paths that it may read. A path that does not exist is left out. */
  readonly readable: readonly string[];
  readonly network: 'host' | 'none';
}

/** Confines a program to its workspace. */
export interface Sandbox {
  /** For the log. */
  readonly name: string;
  /**
   * @param program a command and its arguments
   * @returns a command and its arguments that run it confined, in the workspace, with the same environment, standard
   * streams and exit code; above 128: ended by that signal + 128. SIGTERM for the process group must reach the program
   * and nothing else.
   */
  wrap(program: readonly string[], paths: SandboxPaths): readonly string[];
}

/** The programs and libraries of the system, and the files of /etc that programs need and that have no secrets. */
export const systemPaths: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'],
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'gitconfig', 'group', 'host.conf', 'hosts'].map(etc),
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types', 'nsswitch.conf', 'passwd'].map(etc),
  ...['pki/tls', 'protocols', 'resolv.conf', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'timezone'].map(etc),
];

/** Parts of /proc with which root can change the machine, also from a user namespace. */
export const kernelPaths: readonly string[] = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'];

/** The user and group "nobody", as which the program runs. */
export const nobody = '65534';

function etc(name: string): string {
  return `/etc/${name}`;
}
