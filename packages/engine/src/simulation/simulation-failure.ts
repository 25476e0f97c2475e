import { ToolError } from '@svc/amm'

/**
 * What an endpoint's refusal to simulate means: the wallet is short of native currency, which `short` says in amounts, or
 * nothing can be simulated.
 */
export async function simulationFailure(error: unknown, short: () => Promise<ToolError | null>): Promise<ToolError> {
  if (error instanceof ToolError && error.code !== 'RPC_REFUSED') return error
  const { codes, text } = causesOf(error)
  if (codes.includes(-38014) || /insufficient funds/i.test(text)) {
    const message = 'The wallet holds less native currency than the call sends.'
    return (await short()) ?? new ToolError('INSUFFICIENT_BALANCE', message, { cause: error })
  }
  // An endpoint that lacks the method keeps lacking it; one that failed may answer the next time.
  return simulationUnavailable(
    'The endpoint cannot simulate transactions (eth_simulateV1).',
    error,
    !lacksMethod(error),
  )
}

/** Whether an endpoint's refusal says that it does not have the method at all. */
export function lacksMethod(error: unknown): boolean {
  const { codes, text } = causesOf(error)
  return codes.some((code) => code === -32601 || code === -32004) || absent.test(text)
}

export function simulationUnavailable(message: string, cause?: unknown, retryable?: boolean): ToolError {
  return new ToolError('SIMULATION_UNAVAILABLE', message, {
    cause,
    ...(retryable === undefined ? {} : { retryable }),
    suggestion: 'Configure an endpoint that offers eth_simulateV1; nothing is signed without a simulation.',
  })
}

/** How nodes and the proxies before them say that they do not have a method, where they have no code for it. */
const absent =
  /method.{0,40}(not found|not supported|unsupported|not available|unavailable|does not exist|not allowed|not whitelisted|disabled)|(unknown|unsupported|invalid) method/i

function causesOf(error: unknown): { readonly codes: readonly number[]; readonly text: string } {
  const codes: number[] = []
  const texts: string[] = []
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'number') codes.push(cause.code)
    texts.push('details' in cause && typeof cause.details === 'string' ? cause.details : cause.message)
  }
  return { codes, text: texts.join('\n') }
}
