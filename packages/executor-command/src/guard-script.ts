/**
 * Runs a program that outlives the worker that started it: `sh -c <this> guard <run folder> <seconds> <command>
 * [<arg> …]`.
 *
 * - It leads a process group of its own (the worker spawns it detached). Processes that the program leaves running end
 *   with it.
 * - Output, exit code and heartbeat go into files, so that any later attempt at the turn can take the program over.
 * - A worker's heartbeat is a change of the file `lease`. After `seconds` without a change, or when a file `stop`
 *   appears, the group gets SIGTERM, and SIGKILL 3 s later.
 *
 * The traps catch signals (`:`) instead of ignoring them, because the program would inherit an ignored signal.
 */
export const guardScript = `
run=$1 orphan_seconds=$2
shift 2
echo $$ >"$run/pid"
trap : TERM INT HUP

watch() {
  trap '' TERM INT HUP
  PATH=/usr/bin:/bin:$PATH
  count=0 unchanged=0 last=
  while sleep 1; do
    count=$((count + 1))
    echo "$count" >"$run/beat"
    lease=
    read -r lease <"$run/lease"
    unchanged=$((unchanged + 1))
    [ "$lease" = "$last" ] || unchanged=0
    last=$lease
    if [ -e "$run/stop" ] || [ "$unchanged" -ge "$orphan_seconds" ]; then
      echo >"$run/stop"
      kill -TERM 0
      sleep 3
      kill -KILL 0
    fi
  done
}

echo 0 >"$run/beat"
"$@" <"$run/input" >>"$run/output" 2>&1 &
program=$!
watch >/dev/null 2>&1 &

while
  wait "$program"
  code=$?
  kill -0 "$program" 2>/dev/null
do :; done
kill -TERM 0
echo "$code" >"$run/exit.part" && mv "$run/exit.part" "$run/exit"
kill -KILL 0
`;
