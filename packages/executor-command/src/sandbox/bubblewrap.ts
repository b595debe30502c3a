import { kernelPaths, nobody, type Sandbox, type SandboxPaths, systemPaths } from './sandbox.ts';

/**
 * bwrap itself must survive the SIGTERM for its program, and must not pass the ignored signal on to it. It has no
 * terminal, so it needs no session of its own, which would take the program out of its process group.
 */
const surviveSigterm = `trap '' TERM INT HUP; exec "$@"`;
const unignore = ['/usr/bin/env', '--default-signal=TERM,INT,HUP'];

/** Bubblewrap, the sandbox of Flatpak. Needs the package `bubblewrap` and `env` of GNU coreutils. */
export function bubblewrap(path = '/usr/bin/bwrap'): Sandbox {
  return {
    name: 'bubblewrap',
    wrap: (program, paths) => [
      ...['/bin/sh', '-c', surviveSigterm, 'sandbox', path],
      ...['--unshare-user', '--uid', nobody, '--gid', nobody, '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
      ...['--unshare-cgroup-try', '--die-with-parent', ...(paths.network === 'none' ? ['--unshare-net'] : [])],
      ...mounts(paths),
      ...['--chdir', paths.workspace, '--', ...unignore, ...program],
    ],
  };
}

function mounts({ workspaceRoot, workspace, readable }: SandboxPaths): string[] {
  return [
    ...['--tmpfs', '/tmp'],
    ...[...systemPaths, ...readable].flatMap(readOnly),
    ...['--dev', '/dev', '--proc', '/proc', ...kernelPaths.flatMap(readOnly)],
    ...['--tmpfs', workspaceRoot, '--bind', workspace, workspace],
  ];
}

function readOnly(path: string): string[] {
  return ['--ro-bind-try', path, path];
}
