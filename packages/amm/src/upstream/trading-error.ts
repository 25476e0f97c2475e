/** Why the trading API gave nothing that can be used. Its own words are not repeated: they are somebody else's text. */
export class TradingError extends Error {
  override readonly name = 'TradingError'
  /**
   * `down`: it does not answer, answers that it cannot, or what it says is of another form. `resting`: it failed repeatedly and is
   * not asked for a while. `key`: it does not take the key. `refused`: it answers, and does not build this.
   */
  readonly kind: 'down' | 'resting' | 'key' | 'refused'

  constructor(kind: TradingError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}
