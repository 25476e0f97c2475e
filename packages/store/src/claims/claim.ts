/** queued -> sent -> confirmed | failed. */
export type ClaimState = 'queued' | 'sent' | 'confirmed' | 'failed'

export type NewClaim = ClaimScopes & {
  readonly address: string
  readonly amountWei: bigint
}

/** What the caps count by. */
export type ClaimScopes = {
  readonly chainId: number
  readonly appId: string
  /** The range of addresses the request came from. */
  readonly network: string
}

export type Claim = NewClaim & {
  readonly id: string
  readonly state: ClaimState
  readonly txHash: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly settledAt: number | null
}
