import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { endGroup, livingMembers } from './process-group.mjs'

export const svcPath = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))

/**
 * `svc up` on free ports, with these flags and settings besides: the product as it is, on a local chain. `banner` is what it prints, and `ready` what it
 * says to programs.
 */
export async function openLocalWorld(signal, flags = [], settings = {}) {
  signal.throwIfAborted()
  const directory = await mkdtemp(join(tmpdir(), 'svc-foreign-'))
  const dataDir = join(directory, 'world')
  const ports = ['--mcp-port', '0', '--rpc-port', '0', '--api-port', '0']
  if (Object.keys(settings).length > 0) await layIn(dataDir, settings)
  const args = [svcPath, 'up', ...ports, '--data-dir', dataDir, ...flags]
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = [[], []]
  child.stderr.on('data', (chunk) => stderr.push(chunk))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const abandon = () => endGroup(child.pid)
  signal.addEventListener('abort', abandon)
  const said = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      stdout.push(chunk)
      const text = Buffer.concat(stdout).toString('utf8')
      if (text.includes('Ctrl-C ends all of it')) resolve(text)
    })
  })
  const banner = await Promise.race([said, exited.then(() => null), sleep(startTimeoutMs, null, { ref: false })])
  if (banner === null) {
    abandon()
    await rm(directory, { recursive: true })
    throw new Error(`svc up did not come up: ${Buffer.concat(stderr).toString('utf8').slice(-2_000)}`)
  }
  return {
    ready: JSON.parse(await readFile(join(dataDir, 'ready.json'), 'utf8')),
    banner,
    /** What it has printed to stderr by now. */
    said: () => Buffer.concat(stderr).toString('utf8'),
    directory,
    dataDir,
    /** Ends the world the way a supervisor does; gives back what was still alive 3 s later. */
    async close() {
      child.kill('SIGTERM')
      await Promise.race([exited, sleep(3_000, undefined, { ref: false })])
      const left = livingMembers(child.pid)
      signal.removeEventListener('abort', abandon)
      abandon()
      await rm(directory, { recursive: true })
      return left
    },
  }
}

/** Makes the directory one of a local world, which takes settings of its own from its environment file. */
async function layIn(dataDir, settings) {
  await mkdir(dataDir, { mode: 0o700 })
  const key = JSON.stringify({ privateKey: `0x${randomBytes(32).toString('hex')}` })
  await writeFile(join(dataDir, 'local-world.json'), `${key}\n`, { mode: 0o600 })
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(join(dataDir, '.env'), lines.join(''), { mode: 0o600 })
}

/** A cold cache seeds the chain first. */
const startTimeoutMs = 240_000

/** Reads the chains until the local one has answered its probe, from which a busy machine may keep it; throws after a dozen readings. */
export async function requireLocal(read, { rpc }) {
  for (let left = 12; ; left -= 1) {
    const { items } = await read()
    const local = items.find(({ id }) => id === rpc.chainId)
    if (local?.rpcHealthy === true) return
    if (left === 0) throw new Error(`the local chain is not healthy: ${local?.problem ?? 'it is not listed'}`)
    await sleep(1_000)
  }
}
