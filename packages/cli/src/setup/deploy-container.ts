import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { isRecord } from '@svc/runtime'

/**
 * Builds and starts the services of a compose file with whichever container runtime of this machine can, and waits until the server in it is
 * healthy. Never throws: what was not done is said.
 */
export async function deployContainer(options: DeployContainerOptions): Promise<Deployed> {
  const { composeFile, healthUrl, environment } = options
  const runtime = await runtimeOf(environment)
  if (runtime === null) return { deployed: false, said: 'There is no container runtime with compose here.' }
  const name = runtime.join(' ')
  const [program = '', ...words] = runtime
  const args = [...words, '-f', composeFile, 'up', '--build', '--detach']
  const code = await exitOf(program, args, environment, buildTimeoutMs)
  if (code !== 0) return { deployed: false, said: `${name} could not build or start it (exit code ${code}).` }
  const isHealthy = await healthy(healthUrl, options.healthyWithinMs ?? 120_000)
  if (isHealthy) return { deployed: true, said: `${name} started it, and ${healthUrl} answers.` }
  const logs = `${name} -f ${composeFile} logs`
  return { deployed: false, said: `${name} started it, but ${healthUrl} does not answer. See: ${logs}` }
}

export type DeployContainerOptions = {
  readonly composeFile: string
  /** Of the server, once it runs. */
  readonly healthUrl: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly healthyWithinMs?: number
}

export type Deployed = {
  readonly deployed: boolean
  /** What was done, or why nothing was. */
  readonly said: string
}

/** The first that has compose and whose daemon, where it needs one, answers. */
async function runtimeOf(environment: DeployContainerOptions['environment']): Promise<readonly string[] | null> {
  for (const program of ['docker', 'podman']) {
    const asks = [['compose', 'version'], ['info']]
    const codes = await Promise.all(asks.map((words) => exitOf(program, words, environment, lookTimeoutMs)))
    if (codes.every((code) => code === 0)) return [program, 'compose']
  }
  return null
}

const lookTimeoutMs = 20_000
/** Installing and building takes minutes on a small machine. */
const buildTimeoutMs = 30 * 60_000

/** `null` where it cannot be started, or was ended for taking too long. What it prints goes to the person. */
function exitOf(
  program: string,
  args: readonly string[],
  environment: DeployContainerOptions['environment'],
  timeoutMs: number,
): Promise<number | null> {
  const isShown = timeoutMs === buildTimeoutMs
  // Standard output is kept for the answer of the command.
  const stdio: ['ignore', number | 'ignore', number | 'ignore'] = isShown
    ? ['ignore', 2, 2]
    : ['ignore', 'ignore', 'ignore']
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...environment }, stdio, timeout: timeoutMs })
    child.once('error', () => resolve(null))
    child.once('close', (code) => resolve(code))
  })
}

async function healthy(url: string, withinMs: number): Promise<boolean> {
  for (const until = performance.now() + withinMs; performance.now() < until; await pause(500)) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) })
      .then(async (response): Promise<unknown> => response.json())
      .catch(() => null)
    // Of servers that share a database it says the role as well.
    if (isRecord(answer) && answer['status'] === 'ok') return true
  }
  return false
}
