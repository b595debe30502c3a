/** The paths of a sandbox. All are absolute, and are the same inside and outside. */
export interface SandboxPaths {
  /** The folder of all workspaces. In the sandbox it contains only the program's own workspace. */
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
   * @returns a command and its arguments that run the program confined, in the workspace, with the same environment,
   * standard streams and exit code (128 + n: ended by signal n). A SIGTERM to the process group must reach only
   * the program.
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

/** Parts of /proc through which root could change the machine, even from a user namespace. */
export const kernelPaths: readonly string[] = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus'];

/** The user and group "nobody", as which the program runs. */
export const nobody = '65534';

function etc(name: string): string {
  return `/etc/${name}`;
}
