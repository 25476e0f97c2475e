import { ToolError } from '../tool-error.ts'

/** Why the trading API gave nothing that can be used. Its own words are not repeated: they are somebody else's text. */
export class TradingError extends Error {
  override readonly name = 'TradingError'
  /**
   * `down`: it does not answer, answers that it cannot, or what it says is of another form. `resting`: it failed repeatedly and is
   * not asked for a while. `key`: it does not take the key. `refused`: it answers, and does not build this. `none`: there is none of
   * what was asked for.
   */
  readonly kind: 'down' | 'resting' | 'key' | 'refused' | 'none'

  constructor(kind: TradingError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}

/** What an answer says of calls that somebody else built. */
export const builtNote = 'The calls were built by the trading API and checked here.'

/** The same for a caller, where nobody else builds the calls; `instead` names the next call to make. Other errors stay what they are. */
export function tradingFailure(error: unknown, instead: string): unknown {
  if (!(error instanceof TradingError)) return error
  const message = `The trading API ${error.message}.`
  if (error.kind === 'key') return new ToolError('TRADING_API_REFUSED', message, { cause: error })
  if (error.kind === 'refused' || error.kind === 'none') {
    return new ToolError('TRADING_API_REFUSED', message, { suggestion: instead, cause: error })
  }
  return new ToolError('TRADING_API_UNAVAILABLE', message, { cause: error })
}

/** Why a transaction that somebody else built is not signed. */
export function upstreamRefusal(reason: string, facts: Readonly<Record<string, string>> = {}): ToolError {
  return new ToolError('UNSAFE_TRANSACTION', `The transaction built upstream is not what was asked for: ${reason}.`, {
    details: [{ message: reason, ...facts }],
    suggestion: 'Nothing was signed. Call again for a fresh transaction; if it happens again, tell the operator.',
  })
}
