/** Changes the results of one method; what `change` gives back is said instead of the truth. */
export type Lie = {
  readonly kind: 'lie'
  readonly method: string
  readonly change: (result: unknown) => unknown
}

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

/** A JSON-RPC answer, or batch of answers, with a lie told about the calls it speaks of. */
export function changedBy(
  lie: Lie,
  calls: readonly { readonly id: unknown; readonly method: string }[],
  truth: string,
): string {
  const ids = new Set(calls.filter(({ method }) => method === lie.method).map(({ id }) => id))
  const told = (answer: RpcAnswer): RpcAnswer =>
    ids.has(answer.id) && 'result' in answer ? { ...answer, result: lie.change(answer.result) } : answer
  const answers: RpcAnswer | RpcAnswer[] = JSON.parse(truth)
  return JSON.stringify(Array.isArray(answers) ? answers.map(told) : told(answers))
}

type RpcAnswer = { readonly id: unknown; readonly result?: unknown }

function shifted(value: unknown, member: string, by: number): unknown {
  if (typeof value !== 'object' || value === null || !(member in value)) return value
  return { ...value, [member]: numberToHex(Number(Object.entries(value).find(([name]) => name === member)?.[1]) + by) }
}

/** A quantity as JSON-RPC writes it. */
function numberToHex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}
