import {
  formatLog,
  numberToHex,
  type AbiEvent,
  type Address,
  type LogTopic,
  type PublicClient,
  type RpcLog,
} from 'viem'
import { untilAborted } from '../../until-aborted.ts'
import { inTurns, yieldToEventLoop } from '@svc/runtime'
import { untrue } from '../swaps/ordered-logs.ts'
import { eventDecoder, type EventDecoder, type EventLog } from './event-decoder.ts'

/**
 * What `getLogs` of viem tells under `strict`, decoded in turns, as an answer may hold thousands of logs. The client's reads throw
 * ToolError `RPC_*`, for what is no list of logs too; `RPC_UNAVAILABLE` is also thrown where one is of another event.
 */
export async function readEventLogs<const Events extends readonly AbiEvent[]>(
  client: PublicClient,
  { address, events, topics, fromBlock, toBlock, signal }: EventLogsAsked<Events>,
): Promise<readonly EventLog<Events>[]> {
  const range = { fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
  const filter = { address, topics: [...topics], ...range }
  const reading = client.request({ method: 'eth_getLogs', params: [filter] }, { signal })
  const reported = await (signal === undefined ? reading : untilAborted(reading, signal))
  await yieldToEventLoop()
  return inTurns(decodedLogs(eventDecoder(events), reported))
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
  reported: readonly RpcLog[],
): Generator<void, readonly EventLog<Events>[]> {
  const logs: EventLog<Events>[] = []
  for (const log of reported) {
    logs.push(decoded(decode, log))
    yield
  }
  return logs
}

function decoded<const Events extends readonly AbiEvent[]>(decode: EventDecoder<Events>, reported: RpcLog) {
  let log: EventLog<Events> | null
  try {
    log = decode(formatLog(reported))
  } catch {
    throw untrue('what is no log')
  }
  // Were it left out, so would be a trade.
  if (log === null) throw untrue('a log of another kind')
  return log
}
