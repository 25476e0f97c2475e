import {
  type AbiEvent,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  formatLog,
  getAddress,
  type Hex,
  hexToBigInt,
  hexToNumber,
  isHash,
  isHex,
  type Log,
  type LogTopic,
  numberToHex,
  type ParseEventLogsReturnType,
  type PublicClient,
  type RpcLog,
  toEventSelector,
  type Hash,
} from 'viem'
import { inTurns, yieldToEventLoop } from '@svc/runtime'
import { untilAborted } from '../../create-shared-reads.ts'
import { ToolError } from '../../tool-error.ts'

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

/**
 * Decodes logs of some events, whose indexed members are all of fixed size, as `parseEventLogs` of viem does under `strict`; that hashes
 * the signature of the event again for every log and walks through every word byte by byte. `null` for a log of none of them, and for one
 * with more or less data than its event has, or what is no data, where that is of fixed size: it is not decoded.
 * @throws what viem throws where a log does not hold what its event has.
 */
export function eventDecoder<const Events extends readonly AbiEvent[]>(events: Events): EventDecoder<Events> {
  const shapes = new Map<Hex | undefined, EventShape>(events.map((event) => [toEventSelector(event), shapeOf(event)]))
  return (log) => {
    const [selector, ...topics] = log.topics
    const shape = shapes.get(selector)
    if (shape === undefined || !areWords(topics, shape.indexed.length)) return null
    const { eventName, indexed, plain, dataLength } = shape
    if (dataLength !== null && (log.data.length !== dataLength || !isHex(log.data))) return null
    const reported = dataLength === null ? decodeAbiParameters(plain, log.data) : readWords(plain, log.data)
    const args = Object.fromEntries([
      ...indexed.map(({ name, read }, index) => [name, read(topics[index] ?? '0x')]),
      ...plain.map(({ name }, index) => [name, reported[index]]),
    ])
    const decoded = { ...log, eventName, args }
    return isOf(events, decoded) ? decoded : null
  }
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

type EventDecoder<Events extends readonly AbiEvent[]> = (log: Log) => EventLog<Events> | null

type EventLog<Events extends readonly AbiEvent[]> = ParseEventLogsReturnType<Events, undefined, true>[number]

type EventShape = {
  readonly eventName: string
  readonly indexed: readonly Member[]
  readonly plain: readonly Member[]
  /** Of the hexadecimal text; `null` where a member is not one word. */
  readonly dataLength: number | null
}

type Member = AbiParameter & { readonly read: (word: Hex) => unknown }

function shapeOf({ name, inputs }: AbiEvent): EventShape {
  const members = inputs.map((input) => ({ ...input, read: readerOf(input) }))
  const plain = members.filter(({ indexed }) => !indexed)
  return {
    eventName: name,
    indexed: members.filter(({ indexed }) => indexed),
    plain,
    dataLength: plain.every(({ type }) => oneWord.test(type)) ? 2 + wordDigits * plain.length : null,
  }
}

const oneWord = /^(u?int\d+|address|bool|bytes\d+)$/
const wordDigits = 64

function readWords(members: readonly Member[], data: Hex): readonly unknown[] {
  return members.map(({ read }, index) => read(`0x${data.slice(2 + index * wordDigits, 2 + (index + 1) * wordDigits)}`))
}

function areWords(topics: readonly Hex[], count: number): boolean {
  return topics.length === count && topics.every((topic) => isHash(topic))
}

function readerOf(member: AbiParameter): Member['read'] {
  const [, sign, bits] = /^(u?)int(\d+)$/.exec(member.type) ?? []
  const signed = sign === ''
  if (bits !== undefined && Number(bits) > 48) return (word) => hexToBigInt(word, { signed })
  if (bits !== undefined) return (word) => hexToNumber(word, { signed })
  if (member.type === 'address') return (word) => getAddress(`0x${word.slice(-40)}`)
  return (word) => decodeAbiParameters([member], word)[0]
}

type DecodedLog = Log & { readonly eventName: string }

function isOf<const Events extends readonly AbiEvent[]>(
  events: Events,
  log: DecodedLog,
): log is DecodedLog & EventLog<Events> {
  return events.some(({ name }) => name === log.eventName)
}

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

type AskedLogs = { readonly address: Address; readonly fromBlock: bigint; readonly toBlock: bigint }

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
