#!/usr/bin/env bash
# Installs the chart on a real API server, and runs what its pods would run: docs/kubernetes.md has what was seen.
#
#   deploy/helm/try-on-api-server.sh <folder>
#
# What the folder lacks is built into it, from Go's modules, which takes half an hour on one core and is done once. Needs
# Linux, root (network namespaces), Go 1.26, Debian's apt-get (etcd), openssl, kubectl, and helm on the PATH.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
kubernetes=1.36.3
keda=2.21.0
export CGO_ENABLED=0

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

lacks() {
  [ ! -x "$folder/$1" ]
}

# k8s.io/kubernetes takes its own libraries from a folder that its module lacks: here from where they are published.
kubernetes_module() {
  mkdir -p "$folder/build"
  cd "$folder/build"
  [ -f go.mod ] && return
  local mod
  mod=$(go mod download -json "k8s.io/kubernetes@v$kubernetes" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
  printf 'module try\ngo 1.26.0\nrequire k8s.io/kubernetes v%s\n' "$kubernetes" >go.mod
  grep -oE 'k8s.io/[a-z-]+ => ./staging' "$mod" | sort -u |
    while read -r name _; do echo "replace $name => $name v0.${kubernetes#1.}" >>go.mod; done
  printf 'package main\nimport (\n_ "k8s.io/kubernetes/cmd/kube-apiserver"\n_ "k8s.io/kubernetes/cmd/kube-controller-manager"\n)\n' >tools.go
  sed -i '1i //go:build tools' tools.go
  go mod tidy
}

build_kubernetes() {
  local version=k8s.io/component-base/version
  (kubernetes_module && cd "$folder/build" && nice -n 19 go build -p 1 -o "$folder/$1" \
    -ldflags "-s -w -X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=${kubernetes:2:2}" \
    "k8s.io/kubernetes/cmd/$1")
}

build_keda() {
  local module
  module=$(cd /tmp && go mod download -json "github.com/kedacore/keda/v2@v$keda" | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
  mkdir -p "$folder/keda-crds"
  install -m 644 "$module"/config/crd/bases/*.yaml "$folder/keda-crds/"
  (cd "$module" && nice -n 19 go build -p 1 -o "$folder/keda-$1" "./cmd/$1")
}

if lacks etcd; then
  (cd "$folder" && apt-get download etcd-server && dpkg-deb -x etcd-server*.deb debian && install debian/usr/bin/etcd etcd)
fi
for program in kube-apiserver kube-controller-manager; do
  if lacks "$program"; then build_kubernetes "$program"; fi
done
for program in operator adapter; do
  if lacks "keda-$program"; then build_keda "$program"; fi
done
exec node_modules/.bin/node scripts/try-chart.ts "$folder"
