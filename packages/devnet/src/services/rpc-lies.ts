/**
 * Changes the answers to one method; what `change` gives back is said instead of the truth. With `error` the method
 * fails by itself, and what stands beside it in a batch does not.
 */
export type Lie = {
  readonly kind: 'lie'
  readonly method: string
} & ({ readonly change: (result: unknown) => unknown } | { readonly error: { code: number; message: string } })

/** An endpoint that serves another chain. */
export function otherChain(chainId: number): Lie {
  return { kind: 'lie', method: 'eth_chainId', change: () => numberToHex(chainId) }
}

/** A newest block whose time is off by so many seconds: negative for a stale head, positive for one from the future. */
export function headOff(seconds: number): Lie {
  return { kind: 'lie', method: 'eth_getBlockByNumber', change: (block) => shifted(block, 'timestamp', seconds) }
}

/** A count of the account's transactions that is off by so many. Never below zero. */
export function nonceOff(by: number): Lie {
  return {
    kind: 'lie',
    method: 'eth_getTransactionCount',
    change: (count) => (typeof count === 'string' ? numberToHex(Math.max(0, Number(count) + by)) : count),
  }
}

/** An endpoint whose receipts lag behind its other answers: it knows none. */
export function receiptsHidden(): Lie {
  return { kind: 'lie', method: 'eth_getTransactionReceipt', change: () => null }
}

/** An endpoint that answers one method with an error of its own. */
export function failing(method: string, code = -32_603, message = 'Internal error'): Lie {
  return { kind: 'lie', method, error: { code, message } }
}

/** A JSON-RPC answer, or batch of answers, with a lie about the calls it speaks of. */
export function changedBy(
  lie: Lie,
  calls: readonly { readonly id: unknown; readonly method: string }[],
  truth: string,
): string {
  const ids = new Set(calls.filter(({ method }) => method === lie.method).map(({ id }) => id))
  const reported = (answer: RpcAnswer): RpcAnswer => {
    if (!ids.has(answer.id) || !('result' in answer)) return answer
    const { result, ...rest } = answer
    return 'error' in lie ? { ...rest, error: lie.error } : { ...rest, result: lie.change(result) }
  }
  const answers: RpcAnswer | RpcAnswer[] = JSON.parse(truth)
  return JSON.stringify(Array.isArray(answers) ? answers.map(reported) : reported(answers))
}

type RpcAnswer = { readonly id: unknown; readonly result?: unknown; readonly error?: unknown }

function shifted(value: unknown, member: string, by: number): unknown {
  if (typeof value !== 'object' || value === null || !(member in value)) return value
  return { ...value, [member]: numberToHex(Number(Object.entries(value).find(([name]) => name === member)?.[1]) + by) }
}

/** A quantity as JSON-RPC writes it. */
function numberToHex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}
