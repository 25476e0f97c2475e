import {
  formatLog,
  isAddress,
  isHash,
  numberToHex,
  parseEventLogs,
  type AbiEvent,
  type Address,
  type Log,
  type LogTopic,
  type ParseEventLogsReturnType,
  type PublicClient,
  type RpcLog,
} from 'viem'
import { inPortions } from '../../in-portions.ts'
import { untrue } from '../swaps/ordered-logs.ts'

/**
 * What `getLogs` of viem tells under `strict`, decoded in portions: decoding takes a tenth of a millisecond a log, and an answer may hold
 * thousands. The client's reads throw ToolError `RPC_*`; `RPC_UNAVAILABLE` is also thrown where the answer is not a list of such logs.
 */
export async function readEventLogs<const Events extends readonly AbiEvent[]>(
  client: PublicClient,
  { address, events, topics, fromBlock, toBlock }: EventLogsAsked<Events>,
): Promise<ParseEventLogsReturnType<Events, undefined, true>> {
  const told: unknown = await client.request({
    method: 'eth_getLogs',
    params: [{ address, topics: [...topics], fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }],
  })
  if (!Array.isArray(told)) throw untrue('what is no list')
  const logs: ParseEventLogsReturnType<Events, undefined, true> = []
  for await (const portion of inPortions(told, logsAtOnce)) {
    logs.push(...decode(events, portion))
  }
  return logs
}

/** In the range of blocks both ends are included. */
export type EventLogsAsked<Events> = {
  readonly address: Address
  readonly events: Events
  readonly topics: readonly LogTopic[]
  readonly fromBlock: bigint
  readonly toBlock: bigint
}

function decode<const Events extends readonly AbiEvent[]>(events: Events, told: readonly Partial<RpcLog>[]) {
  let logs: ParseEventLogsReturnType<Events, undefined, true>
  try {
    logs = parseEventLogs({ abi: events, logs: told.map((log) => formatLog(log)), strict: true })
  } catch {
    throw untrue('what is no log')
  }
  // What does not decode is left out of them, and with it would be a trade.
  if (logs.length < told.length || !logs.every(hasItsPlace)) throw untrue('a log of another kind')
  return logs
}

function hasItsPlace({ address, logIndex, transactionHash }: Log): boolean {
  return (
    isAddress(address, { strict: false }) &&
    !Number.isNaN(logIndex) &&
    (transactionHash === null || isHash(transactionHash))
  )
}

/** Few milliseconds of work. */
const logsAtOnce = 40
