// Runs files of tests in the copy: all of them, or with a mutant on until the first failure.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Tests of the copy in `folder`, one file after the other. `run(tests, { coverage })` runs all and has what each file reaches written
 * to the folder `coverage`; `run(tests, { mutant, withinMs })` ends at the first failure, and when time is up. Gives
 * `{ failed, durations, faults, isCutOff }`: the files that failed, the milliseconds of those that passed, what went wrong outside of
 * tests. `close` ends all that runs; a run that is under way then never returns.
 */
export function openSession(folder) {
  let child
  let isClosed = false
  const run = async (tests, { coverage, mutant, withinMs, onFile } = {}) => {
    if (child === undefined) {
      child = start(folder)
      await ready(child)
    }
    const outcome = { failed: [], durations: new Map(), faults: [], isCutOff: false }
    const cutOff = () => {
      outcome.isCutOff = true
      endGroup(child)
    }
    const timer = withinMs === undefined ? undefined : setTimeout(cutOff, withinMs)
    await new Promise((resolve) => {
      child.removeAllListeners('message').on('message', ({ ended, faults, file, state, durationMs }) => {
        if (state === 'passed') outcome.durations.set(file, durationMs)
        if (state === 'failed' && !outcome.failed.includes(file)) outcome.failed.push(file)
        if (file !== undefined) onFile?.()
        if (ended) resolve(outcome.faults.push(...faults))
      })
      child.removeAllListeners('exit').once('exit', (code, signal) => {
        endGroup(child)
        child = undefined
        if (!isClosed) resolve(outcome.faults.push(`the process of the tests ended with ${code ?? signal}`))
      })
      child.send({ tests, mutant, coverage })
    })
    clearTimeout(timer)
    return outcome
  }
  const close = () => {
    isClosed = true
    if (child !== undefined) endGroup(child)
  }
  return { run, close }
}

function start(folder) {
  const output = process.env.SVC_MUTATION_OUTPUT === undefined ? 'ignore' : 'inherit'
  return fork(fileURLToPath(new URL('session.mjs', import.meta.url)), {
    cwd: folder,
    env: { ...process.env, TMPDIR: join(folder, 'tmp') },
    stdio: ['ignore', output, output, 'ipc'],
    // A process group of its own, which is ended as a whole.
    detached: true,
  })
}

function ready(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`vitest did not start: it ended with ${code}`)))
  })
}

/** Ends the process with all that it started. */
function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
