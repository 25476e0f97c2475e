import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Nonces that say by themselves until when they hold: whoever asks gets one, and nothing is kept of it before it is used, so that asking
 * costs no disk. They hold for one server, or for all replicas of it, which share the secret.
 *
 * @param place what they are bound to: the address of the server and the chain of its wallets
 */
export function createNonces({ secret, place, now }: NoncesOptions): Nonces {
  const seal = (body: string) =>
    createHmac('sha256', secret).update(`${place()} ${body}`).digest('hex').slice(0, sealDigits)
  return {
    issue() {
      const expiresAt = now() + nonceLifeMs
      const body = `${expiresAt.toString(16).padStart(timeDigits, '0')}${randomBytes(16).toString('hex')}`
      return { nonce: `${body}${seal(body)}`, expiresAt }
    },
    expiryOf(nonce) {
      if (!form.test(nonce)) return null
      const body = nonce.slice(0, -sealDigits)
      const isOurs = timingSafeEqual(Buffer.from(nonce.slice(-sealDigits)), Buffer.from(seal(body)))
      return isOurs ? Number.parseInt(body.slice(0, timeDigits), 16) : null
    },
  }
}

export type NoncesOptions = {
  /** Shared by all replicas. */
  readonly secret: string
  readonly place: () => string
  /** Unix milliseconds. */
  readonly now: () => number
}

export type Nonces = {
  issue(): { readonly nonce: string; readonly expiresAt: number }
  /** When one of ours ends, in Unix milliseconds, over or not; `null` for what is none of ours. */
  expiryOf(nonce: string): number | null
}

/** Time enough for a person to look at what a wallet shows. */
export const nonceLifeMs = 5 * 60_000

const timeDigits = 12
const sealDigits = 32
const form = /^[0-9a-f]{76}$/
