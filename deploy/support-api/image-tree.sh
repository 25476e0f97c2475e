#!/bin/sh
# Lays out what the image holds: the packages that the service consists of, as built, and what they depend on, in the
# versions of the lockfile. Nothing that only development needs. Expects a built repository; needs the registry of npm.
#   deploy/support-api/image-tree.sh DIRECTORY      (a new one)
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir "$1"
cp "$root/package.json" "$root/package-lock.json" "$root/.npmrc" "$1"
for name in runtime store wallet support-api; do
  mkdir -p "$1/packages/$name"
  cp -R "$root/packages/$name/package.json" "$root/packages/$name/dist" "$1/packages/$name"
done
cp -R "$root/packages/support-api/bin" "$1/packages/support-api"
cd "$1"
npm pkg delete devDependencies --workspaces --include-workspace-root
npm install --omit=dev --ignore-scripts --no-audit --no-fund
