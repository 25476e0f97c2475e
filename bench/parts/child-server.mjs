// Starts a server in a child process and reads its CPU time through the IPC channel. The child module sends { port } when
// it listens, and answers any message with process.cpuUsage() and `rssBytes`.
import { fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export async function startChildServer(module, { env = {}, onLine = () => {} } = {}) {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), [], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
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
  const use = () => {
    const answer = next()
    child.send('use')
    return answer
  }
  return {
    port,
    key,
    async cpuMicros() {
      const { user, system } = await use()
      return user + system
    },
    async rssBytes() {
      return (await use()).rssBytes
    },
    stop() {
      if (child.connected) child.disconnect()
    },
  }
}
