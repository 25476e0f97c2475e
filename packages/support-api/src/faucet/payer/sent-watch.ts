import type { Claim, Claims } from '@svc/store'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Tells when a claim is on its way, whichever replica pays it: one look at the database for all claims that are waited
 * for, however many they are, and none while nobody waits.
 */
export function createSentWatch(claims: Pick<Claims, 'movedOn'>): SentWatch {
  const waiting = new Map<string, (claim: Claim) => void>()
  let isLooking = false
  const look = async (): Promise<void> => {
    isLooking = true
    while (waiting.size > 0) {
      await sleep(betweenLooksMs)
      // A look that fails is not the last one; who waits gives up by itself.
      const moved = await claims.movedOn([...waiting.keys()]).catch(() => [])
      for (const claim of moved) waiting.get(claim.id)?.(claim)
    }
    isLooking = false
  }
  return {
    async untilSent(claim, forAtMostMs) {
      const sent = new Promise<Claim>((resolve) => {
        waiting.set(claim.id, resolve)
        if (!isLooking) void look()
      })
      const patience = new AbortController()
      const late = sleep(forAtMostMs, claim, { signal: patience.signal, ref: false }).catch(() => claim)
      try {
        return await Promise.race([sent, late])
      } finally {
        waiting.delete(claim.id)
        patience.abort()
      }
    },
  }
}

export type SentWatch = {
  /** The claim once it is sent, confirmed or has failed; as it was given when that takes longer. */
  untilSent(claim: Claim, forAtMostMs: number): Promise<Claim>
}

const betweenLooksMs = 150
