import type { Principal } from '@svc/engine'
import type { Stage } from '../authenticate.ts'
import type { ProtectedResource } from '../issued/protected-resource.ts'
import type { Breakable } from './held-answers.ts'
import type { TokenClaims } from './tokens.ts'

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
