// Runs every foreign program and says what came of it; exits 1 when something required failed or a process was left over.
import { checkConformance } from './conformance.mjs'
import { openIssuers } from './credentials.mjs'
import { checkInspector } from './inspector.mjs'
import { openLocalWorld } from './local-world.mjs'
import { checkProductAlone } from './product-alone.mjs'
import { checkSignIns } from './sign-ins.mjs'
import { startEdge } from './start-edge.mjs'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)))

const failures = []
const report = {
  passed: (line) => console.log(`ok    ${line}`),
  noted: (line) => console.log(`      ${line}`),
  failed(line) {
    failures.push(line)
    console.log(`FAIL  ${line}`)
  },
}

const started = performance.now()
try {
  await checkConformances()
  await checkLocalWorld()
} catch (error) {
  report.failed(stop.signal.aborted ? stop.signal.reason.message : error.stack)
}
const seconds = Math.round((performance.now() - started) / 1000)
console.log(`${failures.length === 0 ? 'All foreign programs are content' : `${failures.length} failed`}, ${seconds} s`)
process.exitCode = failures.length === 0 ? 0 : 1

async function checkConformances() {
  const issuers = await openIssuers()
  try {
    for (const revision of ['2025-11-25', '2026-07-28']) await checkConformance(revision, issuers, report, stop.signal)
  } finally {
    await issuers.close()
  }
}

async function checkLocalWorld() {
  const edge = await startEdge()
  try {
    const world = await openLocalWorld(stop.signal, ['--oauth', '--sign-in', '--websocket'], edge.settings)
    try {
      await checkProductAlone(world, report, stop.signal)
      await checkInspector(world, report, stop.signal)
      await checkSignIns(world, edge, report, stop.signal)
    } finally {
      const left = await world.close()
      if (left.length > 0) report.failed(`svc up left processes behind: ${left.join(', ')}`)
      else report.passed('svc up ended and left nothing behind')
    }
  } finally {
    await edge.stop()
  }
}
