// Starts a program that says "listens on URL" on stderr, as an operator would, and reads what the system knows of it.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Resolves when it listens. `wrap` may put another program in front, which must end in an exec of the words given. */
export async function spawnServer(words, { env = {}, wrap = (command) => command } = {}) {
  const startedAt = performance.now()
  const [program, ...args] = wrap([process.execPath, ...words])
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
  const url = await new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-10_000)
      const said = /listens on (\S+)/.exec(printed)?.[1]
      if (said !== undefined) resolve(new URL(said))
    })
    void ended.then((how) => reject(new Error(`${words.join(' ')} ended with ${how}: ${printed}`)))
  })
  return {
    port: Number(url.port),
    startedAt,
    /** Megabytes resident, or null where the system does not say. */
    rssMb: () => residentMb(child.pid),
    /** Milliseconds of CPU since its start, or null where the system does not say. */
    cpuMs: () => cpuMs(child.pid),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    signal: (name) => child.kill(name),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function residentMb(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
  } catch {
    return null
  }
}

function cpuMs(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const nanos = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]))
    return nanos.reduce((sum, value) => sum + value, 0) / 1e6
  } catch {
    return null
  }
}
