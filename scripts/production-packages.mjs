// What is installed with the published packages: found in the lockfile, where the dependencies of the repository's own work stand beside them.

/** The workspaces that are published, as paths in the lockfile. */
export function publishedWorkspaces(manifests) {
  return Object.keys(manifests).filter((path) => manifests[path].private !== true)
}

/**
 * All that an installation of `workspaces` brings, ours left out: dependencies, and peers that are not optional, each where Node would find it.
 * Sorted by place.
 */
export function productionPackages(lock, workspaces) {
  const found = new Set()
  const waiting = [...workspaces]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock.packages[place]
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const at = placeOf(lock, place, name)
      // Of optional ones those for other machines may be missing.
      if (at === null && optionalDependencies?.[name] === undefined) throw new Error(`${place} has no ${name}.`)
      if (at === null || found.has(at)) continue
      found.add(at)
      waiting.push(at)
    }
  }
  return [...found]
    .filter((place) => place.includes('node_modules/'))
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((place) => {
      const { name = place.split('node_modules/').at(-1), version, license } = lock.packages[place]
      return { place, name, version, license: license ?? null }
    })
}

function placeOf(lock, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const at = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const entry = lock.packages[at]
    if (entry !== undefined) return entry.link === true ? entry.resolved : at
    if (folder === '') return null
  }
}
