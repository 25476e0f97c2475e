import type { ClaimCap, Claims, ClaimVerdict, NewClaim } from '@svc/store'

/**
 * Takes claims in together: those that arrive while one commit is on its way share the next one. A commit costs what it
 * costs however many claims are in it, and none of them is told of before it is durable. Rejects with what the store
 * rejects with; then none of that commit's claims is known to be made.
 */
export function createClaimDesk(claims: Pick<Claims, 'make'>, caps: readonly ClaimCap[]): ClaimDesk {
  let waiting: Waiting[] = []
  let isCommitting = false
  const commit = async (): Promise<void> => {
    isCommitting = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostPerCommit)
      waiting = waiting.slice(mostPerCommit)
      try {
        const verdicts = await claims.make(
          batch.map(({ request }) => request),
          caps,
        )
        batch.forEach(({ resolve, reject }, index) => {
          const verdict = verdicts[index]
          if (verdict === undefined) reject(new TypeError('The store gave no verdict on a claim.'))
          else resolve(verdict)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isCommitting = false
  }
  return {
    make: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject })
        if (!isCommitting) void commit()
      }),
  }
}

export type ClaimDesk = { make(request: NewClaim): Promise<ClaimVerdict> }

type Waiting = {
  readonly request: NewClaim
  readonly resolve: (verdict: ClaimVerdict) => void
  readonly reject: (error: unknown) => void
}

const mostPerCommit = 200
