// Start of the local chain: the first, which seeds thirty days of trading into an empty cache, and the ones after it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@svc/devnet'
import { figure, median } from './parts/figure.mjs'
import { sized } from './parts/size.mjs'

const rounds = sized(7)

export async function run(report) {
  const cacheDir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    const first = await timedStart({ cacheDir, onProgress: report })
    const later = []
    for (let round = 0; round < rounds; round += 1) later.push(await timedStart({ cacheDir }))
    const pools = []
    await timedStart({ cacheDir, history: false })
    for (let round = 0; round < rounds; round += 1) pools.push(await timedStart({ cacheDir, history: false }))
    const reference = `first start of the same run, ${Math.round(first)} ms`
    return [
      figure({ name: 'local chain: first start', value: first, unit: 'ms', reference: 'empty cache', bar: 20_000 }),
      figure({ name: 'local chain: later start', value: median(later), unit: 'ms', reference, bar: 1_000 }),
      figure({ name: 'local chain: later start, no history', value: median(pools), unit: 'ms', reference, bar: 1_000 }),
    ]
  } finally {
    rmSync(cacheDir, { recursive: true, force: true })
  }
}

/** Milliseconds until the chain answers and is caught up. */
async function timedStart(options) {
  const begin = performance.now()
  const devnet = await startDevnet(options)
  const elapsed = performance.now() - begin
  await devnet.stop()
  return elapsed
}
