import type { Claims } from '@svc/store'
import type { Metrics } from './create-metrics.ts'
import type { Log } from '@svc/runtime'

/** The claims of the store, with a line in the log and a figure for each that is settled. */
export function countSettled(
  claims: Claims,
  { metrics, log }: { metrics: Pick<Metrics, 'settled'>; log: Log },
): Claims {
  return {
    ...claims,
    async mark(id, state, txHash) {
      await claims.mark(id, state, txHash)
      if (state !== 'confirmed' && state !== 'failed') return
      metrics.settled(state)
      log[state === 'failed' ? 'warn' : 'info']('faucet.settled', { claimId: id, state, txHash })
    },
  }
}
