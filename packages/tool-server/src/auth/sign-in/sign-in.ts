import type { Principal, Policy } from '@svc/engine'
import type { Stage } from '../authenticate.ts'
import type { ProtectedResource } from '../issued/protected-resource.ts'
import type { TokenClaims } from './tokens.ts'
import type { SignIns } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { Config } from '../../config/config-shape.ts'

/** The stages of callers who come with a token that ends and can be revoked, as the transport sees them. */
export type SignIn = {
  /** Says where clients reach `/mcp`. Before that nobody can sign in. */
  serveAt(url: string): void
  /** `null` where nobody signs in with a wallet. */
  readonly wallets: WalletSignIn | null
  /** `null` where no authorization server is named. */
  readonly resource: ProtectedResource | null
  /** In the order in which they are asked. */
  readonly stages: readonly Stage[]
  /** Whether a stored principal of these stages would still be let do what it once might. */
  isInForce(principal: Pick<Principal, 'id' | 'stage' | 'scopes' | 'agentId' | 'tokenId'>): boolean
  /** Breaks the answer off once the credentials it rests on are revoked, and a stream also when they end. */
  hold(principal: Principal, response: Breakable, kind: 'answer' | 'stream'): void
  close(): void | Promise<void>
}

/** Callers who sign in with a wallet of their own (EIP-4361). */
export type WalletSignIn = {
  /** What a wallet is to sign next. */
  challenge(): Challenge
  /**
   * Takes a signed challenge for a token. Throws `VALIDATION_FAILED` naming members, `SIGN_IN_REFUSED`, `CLOCK_OFF`, `SERVER_BUSY`,
   * `POLICY_INVALID`, `STORAGE_UNAVAILABLE` or `RPC_*`.
   */
  admit(body: unknown): Promise<SignInAnswer>
  /** The public keys of tokens, as JSON. */
  jwks(): string
}

/** The member `challenge` of a 401 answer: the members of the message, but the address. */
export type Challenge = {
  readonly type: 'siwe'
  readonly nonce: string
  readonly domain: string
  readonly uri: string
  readonly chainId: number
  readonly version: '1'
  /** ISO 8601, as is the other time. */
  readonly issuedAt: string
  readonly expirationTime: string
  readonly statement: string
}

export type SignInAnswer = {
  readonly token: string
  readonly tokenType: 'Bearer'
  readonly expiresAt: string
  readonly claims: TokenClaims
}

/** What the stages of tokens are opened with. */
export type SignInOptions = {
  readonly signIns: SignIns
  /** `null` where nobody signs in with a wallet. */
  readonly wallets: WalletPlace | null
  readonly oauth: Config['oauth']
  readonly edge: Config['edge']
  /** Fetches the keys of issuers. */
  readonly fetch: typeof fetch
  readonly policies: { latest(): Policy; current(): Promise<Policy> }
  /** Leaves a line in the audit log, where the server has one; rejects where that cannot be written. */
  readonly audit: (event: SignInEvent) => Promise<void>
  /** Where stands what of that is told; `null` for a server without an audit log. */
  readonly recordsIn: string | null
  readonly log: { readonly info: Tell; readonly warn: Tell }
  /** Unix milliseconds. */
  readonly now: () => number
}

export type SignInEvent = Readonly<Record<string, unknown>> & {
  readonly event: 'auth.signed-in' | 'auth.revoked' | 'auth.restored' | 'auth.keys-rotated'
}

type Tell = (event: string, facts?: Readonly<Record<string, unknown>>) => void

export type WalletPlace = {
  readonly chain: Chain
  /** Over endpoints that the operator named: whoever answers there says who is who. */
  readonly client: Pick<PublicClient, 'call' | 'getContractEvents' | 'getBlock'>
}

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
