import { kernelPaths, nobody, type Sandbox, type SandboxPaths, systemPaths } from './sandbox.ts';

/**
 * `sh -c <this> sandbox <workspace root> <workspace> <readable path>… -- <program>…`, as the first process of new
 * namespaces.
 *
 * - /sys becomes the new root: it is a folder on every Linux, and no program needs it.
 * - Processes that the program leaves running die with this shell, the first process of their PID namespace.
 * - The program is in a user namespace below the shell's: it can neither unmount anything nor inspect the shell.
 */
const script = `
set -e
program_path=$PATH PATH=/usr/sbin:/usr/bin:/sbin:/bin new=/sys
workspace_root=$1 workspace=$2
shift 2

# show <path> [ro]
show() {
  if [ ! -e "$new$1" ] && [ -d "$1" ]; then
    mkdir -p "$new$1"
  elif [ ! -e "$new$1" ]; then
    mkdir -p "$new\${1%/*}"
    : >"$new$1"
  fi
  mount -o "rbind,\${2-rw}" "$1" "$new$1"
}

mount -t tmpfs -o mode=755 tmpfs "$new"
mkdir "$new/tmp" "$new/proc" "$new/dev"
mount -t tmpfs -o mode=1777 tmpfs "$new/tmp"
for device in null zero full random urandom; do show "/dev/$device"; done
ln -s /proc/self/fd "$new/dev/fd"
mkdir -m 1777 "$new/dev/shm"
mount -t proc proc "$new/proc"
while [ "$1" != -- ]; do
  [ ! -e "$1" ] || show "$1" ro
  shift
done
shift
mkdir -p "$new$workspace_root"
mount -t tmpfs -o mode=755 tmpfs "$new$workspace_root"
show "$workspace"

cd "$new"
pivot_root . .
umount -l .
cd "$workspace"
exec 3<&0
unshare --user --map-user=${nobody} --map-group=${nobody} -- \\
  setpriv --no-new-privs -- env -u OLDPWD PATH="$program_path" "$@" <&3 3<&- &
exec 2>/dev/null
wait "$!"
`;

const namespaces = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child', '--ipc', '--uts'];

/** A sandbox with the tools of util-linux (2.36 or later), which every Linux distribution has. */
export function unshareSandbox(): Sandbox {
  return {
    name: 'unshare',
    wrap: (program, { workspaceRoot, workspace, readable, network }: SandboxPaths) => [
      ...['/usr/bin/unshare', ...namespaces, ...(network === 'none' ? ['--net'] : []), '--'],
      ...['/bin/sh', '-c', script, 'sandbox', workspaceRoot, workspace],
      ...[...systemPaths, ...readable, ...kernelPaths, '--', ...program],
    ],
  };
}
