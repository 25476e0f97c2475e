// Starts a server in a child process and reads its CPU time through the IPC channel. The child module sends { port } when
// it listens, and answers any message with process.cpuUsage(), `rssBytes` and `heapUsedBytes`, and asked for the heap with
// `codeBytes`.
import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export async function startChildServer(module, { env = {}, execArgv = [], onLine = () => {} } = {}) {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), [], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    execArgv,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let lastWords = ''
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastWords = `${lastWords}${line}\n`.slice(-2_000)
    if (line.startsWith('{')) onLine(line)
  })
  const next = () =>
    new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`${module} ended with ${code}: ${lastWords}`))
      child.once('exit', ended)
      child.once('message', (message) => {
        child.off('exit', ended)
        resolve(message)
      })
    })
  const { port, key } = await next()
  const ask = (what) => {
    const answer = next()
    child.send(what)
    return answer
  }
  return {
    port,
    key,
    async cpuMicros() {
      const { user, system } = await ask('use')
      return user + system
    },
    async rssBytes() {
      return (await ask('use')).rssBytes
    },
    /** What lives on the heap, and how much of it is compiled code; the child runs with `--expose-gc`. */
    async liveHeap() {
      const { heapUsedBytes, codeBytes } = await ask('heap')
      return { heapUsedBytes, codeBytes }
    },
    /** How many descriptors it holds, or null where the system does not say. */
    descriptors() {
      try {
        return readdirSync(`/proc/${child.pid}/fd`).length
      } catch {
        return null
      }
    },
    stop() {
      if (child.connected) child.disconnect()
    },
  }
}
