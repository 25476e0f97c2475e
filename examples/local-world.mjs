// Where the world of `npm start` is, for the examples: the line that `npm start -- --json` prints. Every world also keeps it in its data
// directory, as ready.json; without --data-dir that is a directory for temporary files, where the newest that answers is taken.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What the file `path` says of a world, and the folder it stands in; without `path`, the same of the running world of this user. */
export async function localWorld(path) {
  if (path !== undefined) return readyLine(path)
  for (const world of ownWorlds().map(readyLine)) if (await answers(world)) return world
  throw new Error('No local world runs. Start one with `npm start`, or name the ready.json in its data directory.')
}

function readyLine(path) {
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .find((text) => text.startsWith('{"ready":true'))
  if (line === undefined) throw new Error(`${path} has no ready line of a local world (npm start -- --json).`)
  return { ...JSON.parse(line), folder: dirname(path) }
}

/** Newest first. In a directory that is everybody's, only our own files are believed. */
function ownWorlds() {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith('svc-up-'))
    .map((name) => join(tmpdir(), name, 'ready.json'))
    .map((path) => ({ path, stat: statOf(path) }))
    .filter(({ stat }) => stat !== undefined && stat.uid === process.getuid?.())
    .toSorted((a, b) => b.stat.mtimeMs - a.stat.mtimeMs)
    .map(({ path }) => path)
}

function statOf(path) {
  try {
    return statSync(path)
  } catch {
    // Another user's, or a world that is not up yet.
    return undefined
  }
}

/** A world that was killed leaves its file behind. */
async function answers({ mcp }) {
  return fetch(new URL('/', mcp.url)).then(
    () => true,
    () => false,
  )
}
