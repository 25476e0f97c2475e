import {
  formatLog,
  isAddress,
  isHash,
  numberToHex,
  type AbiEvent,
  type Address,
  type Log,
  type LogTopic,
  type PublicClient,
  type RpcLog,
} from 'viem'
import { untilAborted } from '../../../until-aborted.ts'
import { inTurns } from '../../in-turns.ts'
import { yieldToEventLoop } from '../../yield-to-event-loop.ts'
import { untrue } from '../swaps/ordered-logs.ts'
import { eventDecoder, type EventDecoder, type EventLog } from './event-decoder.ts'

/**
 * What `getLogs` of viem tells under `strict`, decoded in turns, as an answer may hold thousands of logs. The client's reads throw
 * ToolError `RPC_*`; `RPC_UNAVAILABLE` is also thrown where the answer is not a list of such logs.
 */
export async function readEventLogs<const Events extends readonly AbiEvent[]>(
  client: PublicClient,
  { address, events, topics, fromBlock, toBlock, signal }: EventLogsAsked<Events>,
): Promise<readonly EventLog<Events>[]> {
  const range = { fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
  const filter = { address, topics: [...topics], ...range }
  const reading = client.request({ method: 'eth_getLogs', params: [filter] }, { signal })
  const told: unknown = await (signal === undefined ? reading : untilAborted(reading, signal))
  if (!Array.isArray(told)) throw untrue('what is no list')
  await yieldToEventLoop()
  return inTurns(decodedLogs(eventDecoder(events), told))
}

/** In the range of blocks both ends are included. */
export type EventLogsAsked<Events> = {
  readonly address: Address
  readonly events: Events
  readonly topics: readonly LogTopic[]
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** Ends the request, with ToolError `CANCELLED`. */
  readonly signal?: AbortSignal | undefined
}

function* decodedLogs<const Events extends readonly AbiEvent[]>(
  decode: EventDecoder<Events>,
  told: readonly Partial<RpcLog>[],
): Generator<void, readonly EventLog<Events>[]> {
  const logs: EventLog<Events>[] = []
  for (const log of told) {
    logs.push(decoded(decode, log))
    yield
  }
  return logs
}

function decoded<const Events extends readonly AbiEvent[]>(decode: EventDecoder<Events>, told: Partial<RpcLog>) {
  let log: EventLog<Events> | null
  try {
    if (!isOfLogLength(told)) throw new RangeError('longer than any log')
    log = decode(formatLog(told))
  } catch {
    throw untrue('what is no log')
  }
  // Were it left out, so would be a trade.
  if (log === null || !hasItsPlace(log)) throw untrue('a log of another kind')
  return log
}

function hasItsPlace({ address, logIndex, transactionHash }: Log): boolean {
  return (
    isAddress(address, { strict: false }) &&
    !Number.isNaN(logIndex) &&
    (transactionHash === null || isHash(transactionHash))
  )
}

/** Asked before anything is made of it: a number of millions of digits takes seconds, and addresses that were looked at are kept. */
function isOfLogLength(told: Partial<RpcLog>): boolean {
  const { address, topics, blockNumber, logIndex, transactionIndex, blockTimestamp } = told
  const quantities: readonly unknown[] = [blockNumber, logIndex, transactionIndex, blockTimestamp]
  return (
    address?.length === 42 &&
    quantities.every(isQuantity) &&
    Array.isArray(topics) &&
    topics.length <= 4 &&
    topics.every((topic) => isHash(topic))
  )
}

function isQuantity(told: unknown): boolean {
  return told === undefined || told === null || (typeof told === 'string' && /^0x[0-9a-f]{1,16}$/i.test(told))
}
