import type { Principal } from '@svc/engine'

/**
 * Answers on their way that end with the credentials they rest on: with their revocation, and with the key that signed them; a stream also with
 * their time, and with a right that the policy takes back. A call goes on without that right: cut off, its caller would not hear of the write that
 * is under way, and would make it a second time.
 */
export function createHeldAnswers(options: {
  /** Whether the credentials were revoked, or their key taken out. */
  readonly isRevoked: (principal: Principal) => boolean
  /** Whether the policy grants all of what they came with. */
  readonly isInForce: (principal: Principal) => boolean
  /** Unix milliseconds. */
  readonly now: () => number
}): HeldAnswers {
  const held = new Set<HeldAnswer>()
  const isOver = (principal: Principal) =>
    (principal.expiresAt !== null && principal.expiresAt <= options.now()) || !options.isInForce(principal)
  return {
    hold(principal, response, kind) {
      const answer = { principal, response, kind }
      held.add(answer)
      response.on('close', () => held.delete(answer))
    },
    breakOff() {
      for (const { principal, response, kind } of held) {
        if (options.isRevoked(principal) || (kind === 'stream' && isOver(principal))) response.destroy()
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
