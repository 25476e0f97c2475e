// Where the world of `npm start` is, for the examples: the line that `npm start -- --json` prints. Every world also keeps it in its data
// directory, as ready.json; without --data-dir that is a directory for temporary files, where the newest that answers is taken.
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * What the file `path` says of a world, and the folder it stands in; without `path`, the same of the running world of this user. Only
 * a world whose chain and registry are those that the file names is given back; each is waited for at most `timeoutMs`.
 */
export async function localWorld(path, { timeoutMs = 5_000 } = {}) {
  if (path !== undefined) return worldOf(path, timeoutMs)
  for (const file of ownWorlds()) {
    // A world that was killed leaves its file behind.
    const world = await worldOf(file, timeoutMs).catch(() => null)
    if (world !== null) return world
  }
  throw new Error(
    'No local world runs. Start one with `npm start`, or name the ready.json in its data directory: --world FILE',
  )
}

async function worldOf(path, timeoutMs) {
  const world = readyLine(path)
  const { rpc, registry, mcp } = world
  const signal = AbortSignal.timeout(timeoutMs)
  const chainId = Number(await askChain(rpc.url, 'eth_chainId', [], signal))
  if (chainId !== rpc.chainId)
    throw new Error(`${path} names chain ${rpc.chainId}, and ${rpc.url} is chain ${chainId}.`)
  const code = await askChain(rpc.url, 'eth_getCode', [registry.address, 'latest'], signal)
  if (!/^0x[0-9a-f]{2,}$/.test(code))
    throw new Error(`${path} names a registry, ${registry.address}, that the chain does not have.`)
  if (mcp !== undefined) await fetch(new URL('/', mcp.url), { signal })
  return world
}

function readyLine(path) {
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .find((text) => text.startsWith('{"ready":true'))
  if (line === undefined) throw new Error(`${path} has no ready line of a local world (npm start -- --json).`)
  return { ...JSON.parse(line), folder: dirname(path) }
}

/** Newest first. In a directory that is everybody's, only our own files in our own folders are believed, and no links. */
function ownWorlds() {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith('svc-up-'))
    .map((name) => ({ folder: join(tmpdir(), name), path: join(tmpdir(), name, 'ready.json') }))
    .filter(({ folder }) => ownEntry(folder)?.isDirectory())
    .map(({ path }) => ({ path, entry: ownEntry(path) }))
    .filter(({ entry }) => entry?.isFile())
    .toSorted((a, b) => b.entry.mtimeMs - a.entry.mtimeMs)
    .map(({ path }) => path)
}

/** Facts of what stands at a path itself, a link not followed; `undefined` when it is another user's or not there yet. */
function ownEntry(path) {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  return entry?.uid === process.getuid?.() ? entry : undefined
}

async function askChain(url, method, params, signal) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  })
  return (await response.json()).result
}
