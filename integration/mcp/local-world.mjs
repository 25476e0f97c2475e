import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { endGroup, livingMembers } from './process-group.mjs'

export const svcPath = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))

/** `svc up` on free ports, with these flags besides: the product as it is, on a local chain. `ready` is the line it prints. */
export async function openLocalWorld(signal, flags = []) {
  signal.throwIfAborted()
  const directory = await mkdtemp(join(tmpdir(), 'svc-foreign-'))
  const dataDir = join(directory, 'world')
  const ports = ['--mcp-port', '0', '--rpc-port', '0', '--api-port', '0']
  const args = [svcPath, 'up', '--json', ...ports, '--data-dir', dataDir, ...flags]
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const stderr = []
  child.stderr.on('data', (chunk) => stderr.push(chunk))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const abandon = () => endGroup(child.pid)
  signal.addEventListener('abort', abandon)
  const line = await Promise.race([
    new Promise((resolve) => createInterface(child.stdout).once('line', resolve)),
    exited.then(() => null),
    sleep(startTimeoutMs, null, { ref: false }),
  ])
  if (line === null) {
    abandon()
    await rm(directory, { recursive: true })
    throw new Error(`svc up did not come up: ${Buffer.concat(stderr).toString('utf8').slice(-2_000)}`)
  }
  return {
    ready: JSON.parse(line),
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

/** A cold cache seeds the chain first. */
const startTimeoutMs = 240_000
