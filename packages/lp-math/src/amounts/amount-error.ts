/** Thrown when a text is no amount; `reason` says why and `accepted` what would have been taken. The text itself is not repeated. */
export class AmountError extends Error {
  override readonly name = 'AmountError'
  readonly reason: AmountErrorReason
  readonly accepted: string

  constructor(reason: AmountErrorReason, accepted: string) {
    super(`Not an amount (${reason}): expected ${accepted}.`)
    this.reason = reason
    this.accepted = accepted
  }
}

export type AmountErrorReason =
  | 'empty'
  | 'space'
  | 'sign'
  | 'exponent'
  | 'not-ascii'
  | 'leading-zero'
  | 'too-many-decimals'
  | 'too-large'
  | 'malformed'
