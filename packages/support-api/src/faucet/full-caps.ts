import type { ClaimScopes, ClaimVerdict } from '@svc/store'

/**
 * Remembers which caps a commit found full, and until when: who comes under one meanwhile can be refused without a
 * question to the chain. A cap stays full until the time it names, so nobody is refused who would get something. Of too
 * many the oldest is forgotten.
 */
export function createFullCaps(now: () => number): FullCaps {
  const until = new Map<string, number>()
  return {
    note(of, { scope, retryAfterMs }) {
      const key = keyOf(scope, of)
      until.delete(key)
      until.set(key, now() + retryAfterMs)
      if (until.size > mostRemembered) until.delete(until.keys().next().value ?? key)
    },
    find(of) {
      for (const scope of scopes) {
        const retryAfterMs = (until.get(keyOf(scope, of)) ?? 0) - now()
        if (retryAfterMs > 0) return { status: 'capped', scope, retryAfterMs }
      }
      return null
    },
  }
}

export type FullCaps = {
  note(of: ClaimScopes, verdict: Capped): void
  find(of: ClaimScopes): Capped | null
}

type Capped = Extract<ClaimVerdict, { status: 'capped' }>

function keyOf(scope: Capped['scope'], { appId, network, chainId }: ClaimScopes): string {
  return `${scope} ${{ app: appId, network, chain: chainId }[scope]}`
}

const scopes = ['app', 'network', 'chain'] as const
const mostRemembered = 10_000
