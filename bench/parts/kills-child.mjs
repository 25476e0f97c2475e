// The parent's half of kills-server.mjs.
import { fork } from 'node:child_process'
import { modernHeaders, modernMessage } from './mcp-messages.mjs'
import { post } from './load.mjs'

/** Resolves when it listens, or with `null` when it was killed before: `point` may lie in what it does at its start. */
export async function startKillable(program, settings, point = null) {
  const child = fork(program, [], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SETTINGS: JSON.stringify(settings),
      POINT: JSON.stringify(point),
      CRASH_POINTS: new URL('./crash-points.mjs', import.meta.url).href,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let lastWords = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (lastWords = (lastWords + text).slice(-20_000)))
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
  const said = () => new Promise((resolve) => child.once('message', resolve))
  const first = await Promise.race([said(), ended.then((how) => ({ how }))])
  if ('how' in first) {
    if (first.how === 'SIGKILL') return null
    throw new Error(`The server ended with ${first.how} at its start: ${lastWords}`)
  }
  const { port, key, sinceStartMs, sinceBootMs, cpuMs } = first
  const ask = async (message) => {
    const answer = said()
    child.send(message, () => undefined)
    const { points = [] } = await Promise.race([answer, ended.then(() => ({}))])
    return points
  }
  return {
    port,
    pid: child.pid,
    readyAfter: { sinceStartMs, sinceBootMs, cpuMs },
    isGone: () => child.exitCode !== null || child.signalCode !== null,
    lastWords: () => lastWords,
    /** Arms a point (`null`: none) and gives back those that were come to since the last time. */
    arm: (point) => ask({ arm: point }),
    /** The answer of a tool, or `null` when the process was killed on the way. */
    async call(name, input) {
      const params = { name, arguments: input }
      const headers = { ...modernHeaders('tools/call', params), authorization: `Bearer ${key}` }
      const answer = await post(undefined, port, headers, modernMessage(1, 'tools/call', params)).catch(() => null)
      if (answer !== null && answer.status === 200) return answerOf(JSON.parse(answer.text))
      const how = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 30_000, 'running'))])
      if (how === 'SIGKILL') return null
      throw new Error(
        `${name} answered ${answer?.status} ${answer?.text.slice(0, 500)}, the server is ${how}: ${lastWords}`,
      )
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function answerOf({ result, error }) {
  if (error !== undefined) throw new Error(`The protocol refused: ${JSON.stringify(error)}`)
  if (result.isError !== true) return { ok: true, data: result.structuredContent }
  return { ok: false, error: result._meta['svc/error'] }
}
