// Starts a server in a child process and reads its CPU time through the IPC channel. The child module sends { port } when
// it listens, and answers 'cpu' with process.cpuUsage().
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export async function startChildServer(module, env = {}) {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), [], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const next = () =>
    new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`${module} ended with ${code}`)))
    })
  const { port, key } = await next()
  return {
    port,
    key,
    async cpuMicros() {
      const answer = next()
      child.send('cpu')
      const { user, system } = await answer
      return user + system
    },
    stop: () => child.kill('SIGKILL'),
  }
}
