# Sourced by the other scripts: says what it does, installs what is missing (Debian 12, as root or
# with sudo), builds.

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

build_packages=(g++ cmake ninja-build libexpected-dev nlohmann-json3-dev libflatbuffers-dev
  flatbuffers-compiler libcli11-dev libfmt-dev libssl-dev coinor-libclp-dev libtomlplusplus-dev
  libprotobuf-dev protobuf-compiler)
# OpenCL: the loader, a driver that runs on the processor (some 65 MB to fetch, a compiler among them),
# and a library whose launches are recorded.
opencl_packages=(ocl-icd-opencl-dev pocl-opencl-icd)
test_packages=(libgtest-dev clang-format-16 python3-onnx "${opencl_packages[@]}" libclblast-dev)
bench_packages=(libbenchmark-dev)

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "needs root to install packages: run as root, or install sudo"
  fi
}

# Installs those of the named packages that are missing.
install_packages() {
  local missing=() package
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "packages: all there"
    return
  fi
  command -v apt-get >/dev/null || fail "needs Debian 12, or these packages by hand: ${missing[*]}"
  say "installing ${missing[*]}"
  update_lists
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o "DPkg::Lock::Timeout=$lock_seconds" \
    install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Another apt may be at work, as it is on a machine that has just started. The packages' own lock is
# waited for by apt itself, the lists' is not.
lock_seconds=600
update_lists() {
  local waited=0 why
  until why=$(as_root env LC_ALL=C apt-get -o "DPkg::Lock::Timeout=$lock_seconds" update -qq 2>&1); do
    grep -q 'Could not get lock\|Unable to lock' <<<"$why" || fail "apt-get update: $why"
    [ "$waited" -lt "$lock_seconds" ] || fail "apt's lock was not free for $lock_seconds s: $why"
    [ "$waited" -gt 0 ] || say "waiting for apt's lock, at most $lock_seconds s"
    sleep 5
    waited=$((waited + 5))
  done
}

# How long a build takes where nothing is built yet: seconds of a processor of 2023, measured.
build_time() {
  local seconds minutes
  [ ! -e "build/$1/berth" ] || return 0
  case $1 in
    release) seconds=1200 ;;
    dev) seconds=2000 ;;
    *) return 0 ;;
  esac
  minutes=$(((seconds / $(nproc) + 59) / 60))
  echo ": the first time some $minutes minutes on $(nproc) processors"
}

# Configures and builds one of the presets of CMakePresets.json; what follows goes to the build.
build() {
  local preset=$1
  shift
  say "building preset $preset$(build_time "$preset")"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" "$@"
}
