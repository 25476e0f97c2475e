import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { endGroup, livingMembers } from './process-group.mjs'

/**
 * Runs a program to its end in a process group of its own; afterwards nothing of the group is alive. `left` names what the
 * program itself had not ended a second after its exit.
 */
export async function runProgram(command, args, { signal, timeoutMs, env = {}, cwd }) {
  signal.throwIfAborted()
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8')
    child[name].on('data', (chunk) => {
      output[name] += chunk
    })
  }
  const stopped = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const kill = () => endGroup(child.pid)
  stopped.addEventListener('abort', kill)
  try {
    const status = await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    signal.throwIfAborted()
    return { status, ...output, timedOut: stopped.aborted, left: await leftOver(child.pid) }
  } finally {
    stopped.removeEventListener('abort', kill)
    endGroup(child.pid)
  }
}

async function leftOver(group) {
  for (let waited = 0; waited < 1_000 && livingMembers(group).length > 0; waited += 50) await sleep(50)
  return livingMembers(group)
}
