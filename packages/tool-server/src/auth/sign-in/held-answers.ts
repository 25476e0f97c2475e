import type { Principal } from '@svc/engine'

/**
 * Answers on their way that end with the credentials they rest on: with their revocation, and with the key that signed them; a stream also with
 * their time, with a right that the policy takes back, and where a revocation may have been missed. A call goes on then, on a connection too: cut
 * off, its caller would not hear of the write that is under way, and would make it a second time.
 */
export function createHeldAnswers(options: {
  /** Whether the credentials were revoked, or their key taken out. */
  readonly isRevoked: (principal: Principal) => boolean
  /** Whether a call with them would be taken now, with all of the rights that they came with. */
  readonly isInForce: (principal: Principal) => boolean
  /** Unix milliseconds. */
  readonly now: () => number
}): HeldAnswers {
  /** By whose credentials they rest on, which are looked at once however many that are. */
  const held = new Map<Principal, Set<HeldAnswer>>()
  const isOver = (principal: Principal) =>
    (principal.expiresAt !== null && principal.expiresAt <= options.now()) || !options.isInForce(principal)

  function release(principal: Principal, answer: HeldAnswer): void {
    const answers = held.get(principal)
    answers?.delete(answer)
    if (answers?.size === 0) held.delete(principal)
  }
  return {
    hold(principal, response, kind) {
      const answer = { response, kind }
      held.set(principal, (held.get(principal) ?? new Set()).add(answer))
      response.on('close', () => release(principal, answer))
    },
    breakOff() {
      for (const [principal, answers] of held) {
        const isRevoked = options.isRevoked(principal)
        if (!isRevoked && !isOver(principal)) continue
        for (const { response, kind } of answers) {
          if (isRevoked) response.destroy()
          else if (kind === 'stream') leave(response)
        }
      }
    },
  }
}

function leave(response: Breakable): void {
  if (response.finish === undefined) response.destroy()
  else response.finish()
}

export type HeldAnswers = {
  readonly hold: (principal: Principal, response: Breakable, kind: 'answer' | 'stream') => void
  /** Ends those whose credentials are over. Whoever is waited for by a call that is broken off has left, as far as the call knows. */
  breakOff(): void
}

/** A response, or a connection. */
export type Breakable = {
  on(event: 'close', listener: () => void): unknown
  destroy(): unknown
  /** Of a connection: ends it once the calls on it are answered, and takes no others. */
  finish?(): unknown
}

type HeldAnswer = {
  readonly response: Breakable
  readonly kind: 'answer' | 'stream'
}
