import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { endGroup, livingMembers } from '../mcp/process-group.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const alto = join(here, 'node_modules', '@pimlico', 'alto', 'esm', 'cli', 'alto.js')

/**
 * Runs the bundler as a process of its own until `stop()`, on a local chain and with its sponsors' keys. It is another's
 * program under another licence: it is started, never imported. Rejects when it does not answer within `readyTimeoutMs`.
 */
export async function startBundler({ devnet, signal, readyTimeoutMs = 120_000 }) {
  signal?.throwIfAborted()
  const port = await freePort()
  const child = spawn(process.execPath, [alto, ...flags(devnet, port)], {
    cwd: here,
    // Its own settings come from ALTO_*, and SENTRY_DSN would make it report: it gets neither.
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
  const kill = () => endGroup(child.pid)
  signal?.addEventListener('abort', kill)
  process.once('exit', kill)
  const stop = async () => {
    child.kill('SIGTERM')
    await Promise.race([exited, sleep(5_000, undefined, { ref: false })])
    kill()
    await exited
    process.off('exit', kill)
    signal?.removeEventListener('abort', kill)
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await answering(url, devnet.entryPoint, performance.now() + readyTimeoutMs, () => child.exitCode)
  } catch (error) {
    await stop()
    throw new Error(`${error.message}. It said: ${Buffer.concat(output).toString('utf8').slice(-2_000)}`, {
      cause: error,
    })
  }
  return { url, stop, said: () => Buffer.concat(output).toString('utf8'), living: () => livingMembers(child.pid) }
}

/** Safe mode needs a tracer that the local chain lacks; the contract for simulations it deploys itself, with the utility key. */
function flags({ rpcUrl, entryPoint, sponsors }, port) {
  return [
    ['--rpc-url', rpcUrl],
    ['--port', String(port)],
    ['--entrypoints', entryPoint],
    ['--executor-private-keys', sponsors.executor.privateKey],
    ['--utility-private-key', sponsors.utility.privateKey],
    ['--safe-mode', 'false'],
    ['--log-level', 'warn'],
  ].flat()
}

async function answering(url, entryPoint, deadline, exitCode) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_supportedEntryPoints', params: [] })
  for (;;) {
    if (exitCode() !== null) throw new Error(`the bundler ended with ${exitCode()}`)
    if (performance.now() > deadline) throw new Error('the bundler did not answer in time')
    try {
      const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      const { result } = await answer.json()
      if (result?.includes(entryPoint)) return
    } catch {
      // It does not listen yet.
    }
    await sleep(50)
  }
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
