import { createHash, randomBytes } from 'node:crypto'

/**
 * Who is signed in to the page, in the memory of this process: a browser holds a token, the server its digest. A session lets somebody look;
 * what is decided in it is confirmed by a passkey each time.
 */
export function createOperatorSessions(now: () => number, lastsMs = sessionMs): OperatorSessions {
  const open = new Map<string, OperatorSession>()
  const drop = () => {
    for (const [digest, { endsAt }] of open) if (endsAt <= now()) open.delete(digest)
  }
  return {
    begin(operator, passkey) {
      drop()
      const [oldest] = open.keys()
      if (open.size >= mostOpen && oldest !== undefined) open.delete(oldest)
      const token = randomBytes(32).toString('base64url')
      open.set(digestOf(token), { operator, passkey, endsAt: now() + lastsMs, asked: null })
      return token
    },
    find(token) {
      drop()
      return open.get(digestOf(token)) ?? null
    },
    end: (token) => void open.delete(digestOf(token)),
  }
}

export type OperatorSessions = {
  /** Gives the token that the browser is to hold. */
  begin(operator: string, passkey: string): string
  find(token: string): OperatorSession | null
  end(token: string): void
}

export type OperatorSession = {
  /** As the policy names them. */
  readonly operator: string
  /** The id of the passkey that they signed in with. */
  readonly passkey: string
  /** Unix milliseconds. */
  readonly endsAt: number
  /** The challenge that stands for the one decision that is being asked for; it is taken away when it is answered. */
  asked: { readonly nonce: string; readonly endsAt: number } | null
}

/** An hour. */
export const sessionMs = 3_600_000
/** Operators alone open them. */
const mostOpen = 64

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
