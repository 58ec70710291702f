# Checks of commands, for scripts that run gemmflow in other surroundings. Uses $work, a directory, and sets $failed.

# What a check is called, and its command, of which an exit code (a pattern) and words of the output are expected.
check() {
  local name=$1 expected=$2 words=$3 code=0
  shift 3
  "$@" >"$work/out" 2>&1 </dev/null || code=$?
  # shellcheck disable=SC2053 # a pattern
  if [[ $code == $expected && (-z $words || -n $(grep -E -e "$words" "$work/out")) ]]; then
    echo "passed: $name"
  else
    echo "FAILED: $name: exit code $code, expected $expected and '$words'; it said:"
    sed 's/^/  /' "$work/out"
    failed=1
  fi
}

# Waits for at most a minute until a file has some words.
await_words() {
  for _ in $(seq 600); do
    ! grep -q -e "$1" "$2" || break
    sleep 0.1
  done
}

# Waits for a process of this shell, and prints what it said.
ended_job() {
  local code=0
  wait "$1" || code=$?
  cat "$2"
  return $code
}

# Waits for at most ten seconds until a command prints nothing; then prints what it does.
await_none() {
  local left
  for _ in $(seq 100); do
    left=$("$@")
    [[ -n $left ]] || return 0
    sleep 0.1
  done
  echo "$left"
  return 1
}
