import type { Address, Hash } from 'viem'
import { ToolError } from '../../tool-error.ts'

/**
 * The logs of one contract in a range of blocks (both ends included) in the order of the chain.
 * @throws ToolError `RPC_UNAVAILABLE` where one is not what was asked for: of another contract or block, taken back, not mined, or
 * reported twice.
 */
export function orderedLogs<Log extends PlacedLog>(logs: readonly Log[], asked: AskedLogs): readonly Log[] {
  const places = logs.map((log) => ({ log, ...placeOf(log, asked) }))
  places.sort((one, other) => (one.block === other.block ? one.index - other.index : one.block < other.block ? -1 : 1))
  for (const [index, { block, index: logIndex }] of places.entries()) {
    const next = places[index + 1]
    if (next?.block === block && next.index === logIndex) throw untrue('one log twice')
  }
  return places.map(({ log }) => log)
}

export type PlacedLog = {
  readonly address: Address
  readonly blockNumber: bigint | null
  readonly logIndex: number | null
  readonly transactionHash: Hash | null
  readonly removed: boolean
}

export type AskedLogs = { readonly address: Address; readonly fromBlock: bigint; readonly toBlock: bigint }

/** What is thrown where an endpoint tells what no chain holds. */
export function untrue(what: string): ToolError {
  const message = `The endpoint of this chain gave what cannot be in its logs: ${what}.`
  return new ToolError('RPC_UNAVAILABLE', message, {
    details: [
      { field: 'chain', message, accepted: 'a chain whose endpoint keeps its logs, or another endpoint for it' },
    ],
  })
}

function placeOf(log: PlacedLog, asked: AskedLogs): { readonly block: bigint; readonly index: number } {
  const { blockNumber, logIndex, transactionHash } = log
  if (log.address.toLowerCase() !== asked.address.toLowerCase()) throw untrue('a log of another contract')
  if (log.removed) throw untrue('a log that was taken back')
  if (blockNumber === null || logIndex === null || transactionHash === null) throw untrue('a log that is not mined')
  if (blockNumber < asked.fromBlock || blockNumber > asked.toBlock) throw untrue('a log of another block')
  return { block: blockNumber, index: logIndex }
}
