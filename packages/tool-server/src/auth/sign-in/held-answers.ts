import type { Principal } from '@svc/engine'

/** Answers on their way that end with the credentials they rest on: a call with their revocation, or with a right they had, a stream also with their time. */
export function createHeldAnswers(options: {
  readonly isRevoked: (principal: Principal) => boolean
  /** Unix milliseconds. */
  readonly now: () => number
}): HeldAnswers {
  const held = new Set<HeldAnswer>()
  return {
    hold(principal, response, kind) {
      const answer = { principal, response, kind }
      held.add(answer)
      response.on('close', () => held.delete(answer))
    },
    breakOff() {
      for (const { principal, response, kind } of held) {
        const isOver = kind === 'stream' && principal.expiresAt !== null && principal.expiresAt <= options.now()
        if (isOver || options.isRevoked(principal)) response.destroy()
      }
    },
  }
}

export type HeldAnswers = {
  readonly hold: (principal: Principal, response: Breakable, kind: 'answer' | 'stream') => void
  /** Ends those whose credentials are over. Whoever is waited for by a call that is broken off has left, as far as the call knows. */
  breakOff(): void
}

/** A response, or a connection. */
export type Breakable = { on(event: 'close', listener: () => void): unknown; destroy(): unknown }

type HeldAnswer = {
  readonly principal: Principal
  readonly response: Breakable
  readonly kind: 'answer' | 'stream'
}
