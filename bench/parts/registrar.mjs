// The parent's half of registration-child.mjs.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('registration-child.mjs', import.meta.url))

/** Resolves when the package is loaded. */
export async function startRegistrar() {
  const { PATH, HOME } = process.env
  const options = { env: { PATH, HOME }, serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }
  const child = fork(program, [], options)
  let lastWords = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (lastWords = (lastWords + text).slice(-5_000)))
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
  const said = async () => {
    const message = new Promise((resolve) => child.once('message', resolve))
    const heard = await Promise.race([message, ended.then((how) => ({ how }))])
    if (!('how' in heard)) return heard
    if (heard.how === 'SIGKILL') return { wasKilled: true }
    throw new Error(`The process ended with ${heard.how}: ${lastWords}`)
  }
  await said()
  return {
    /** One call of `registerAgent`. `point` is where the process ends, or after how many milliseconds; `null` for never. */
    async register({ folder, wallet, options: asked, isWithoutSdk }, point) {
      const answer = said()
      const afterMs = point?.afterMs
      const message = { folder, wallet, options: asked, isWithoutSdk, point: afterMs === undefined ? point : null }
      // One that is dead already is noticed by its end.
      child.send(message, () => undefined)
      const timer = afterMs === undefined ? null : setTimeout(() => child.kill('SIGKILL'), afterMs)
      const { wasKilled = false, ...rest } = await answer
      clearTimeout(timer)
      return { wasKilled, ...rest }
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
