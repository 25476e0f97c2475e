// What the machine of a platform that puts servers to sleep has to work before the first answer: a server that was stopped where it stood for
// twelve minutes and goes on, and one that is started anew. Without a reference: the limit of such a platform is one of time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../../scripts/bundle.mjs'
import { askForTools, settingsIn } from '../start.mjs'
import { figure, median, notMeasured } from './figure.mjs'
import { openShiftedClock } from './shifted-clock.mjs'
import { sized } from './size.mjs'
import { spawnServer } from './spawned-server.mjs'

const wakes = sized(15)
const starts = sized(7)
const sleptMs = 12 * 60_000
const bar = 500

export async function measureWakes(report) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    const words = [await bundle(join(directory, 'svc-server.mjs')), '--transport', 'http']
    const server = settingsIn(directory)
    const woken = await measureSuspended(words, server, openShiftedClock(join(directory, 'clock')))
    report(`woken ${wakes} times`)
    const started = await measureStarted(words, server)
    report(`started ${starts} times`)
    return [
      ofCpu('CPU from waking to the first tools/list, after 12 minutes of sleep', woken),
      ofCpu('CPU from a start to the first tools/list', started),
    ]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function ofCpu(name, values) {
  if (values.includes(null)) return notMeasured({ name, unit: 'ms', why: 'the system has no /proc', bar })
  return figure({ name, value: median(values), unit: 'ms', reference: `median of ${values.length}, this machine`, bar })
}

async function measureSuspended(words, server, clock) {
  const child = await spawnServer(words, { env: { ...server.env, NODE_OPTIONS: clock.nodeOptions } })
  const spent = []
  try {
    await askForTools(child.port, server)
    for (let count = 0; count < wakes; count += 1) {
      child.signal('SIGSTOP')
      clock.putOn(sleptMs)
      const before = child.cpuMs()
      child.signal('SIGCONT')
      await askForTools(child.port, server)
      spent.push(before === null ? null : child.cpuMs() - before)
    }
  } finally {
    await child.stop()
  }
  return spent
}

async function measureStarted(words, server) {
  const spent = []
  for (let count = 0; count <= starts; count += 1) {
    const child = await spawnServer(words, { env: server.env })
    await askForTools(child.port, server)
    if (count > 0) spent.push(child.cpuMs())
    await child.stop()
  }
  return spent
}
