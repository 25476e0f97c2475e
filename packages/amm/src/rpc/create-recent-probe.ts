import type { RpcPool } from '../ports.ts'

/**
 * Probes a chain at most every half minute and answers within `patienceMs`: an endpoint that takes longer counts as not
 * answering until its answer is there. `now` in Unix milliseconds.
 */
export function createRecentProbe(
  probe: () => Promise<ProbeReport>,
  { now, patienceMs }: { readonly now: () => number; readonly patienceMs: number },
): () => Promise<ProbeReport> {
  let kept: { readonly at: number; report: Promise<ProbeReport> } | null = null
  return () => {
    if (kept !== null && now() - kept.at < keepMs) return kept.report
    const whole = probe()
    const fresh = { at: now(), report: within(whole, patienceMs) }
    void whole.then(() => (fresh.report = whole))
    kept = fresh
    return fresh.report
  }
}

type ProbeReport = Awaited<ReturnType<RpcPool['probe']>>

async function within(probe: Promise<ProbeReport>, patienceMs: number): Promise<ProbeReport> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<ProbeReport>((resolve) => {
    timer = setTimeout(() => resolve(tooLate), patienceMs)
  })
  const report = await Promise.race([probe, late])
  clearTimeout(timer)
  return report
}

const keepMs = 30_000
const tooLate: ProbeReport = Object.freeze({
  healthy: false,
  headAgeSeconds: null,
  latencyMs: null,
  problem: 'The endpoint of the chain did not answer in time.',
})
