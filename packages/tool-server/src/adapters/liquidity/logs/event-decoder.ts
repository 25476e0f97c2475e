import {
  decodeAbiParameters,
  toEventSelector,
  type AbiEvent,
  type AbiParameter,
  type Hex,
  type Log,
  type ParseEventLogsReturnType,
} from 'viem'

/**
 * Decodes logs of some events, whose indexed members are all of fixed size, as `parseEventLogs` of viem does under `strict`; that hashes
 * the signature of the event again for every log. `null` for a log of none of them, and for one with more or less data than its event
 * has, where that is of fixed size: it is not decoded.
 * @throws what `decodeAbiParameters` throws where a log does not hold what its event has.
 */
export function eventDecoder<const Events extends readonly AbiEvent[]>(events: Events): EventDecoder<Events> {
  const shapes = new Map<Hex | undefined, EventShape>(events.map((event) => [toEventSelector(event), shapeOf(event)]))
  return (log) => {
    const [selector, ...topics] = log.topics
    const shape = shapes.get(selector)
    if (shape === undefined || topics.length !== shape.indexed.length) return null
    const { eventName, indexed, plain, dataLength } = shape
    if (dataLength !== null && log.data.length !== dataLength) return null
    const values = [
      ...indexed.flatMap((member, index) => decodeAbiParameters([member], topics[index] ?? '0x')),
      ...decodeAbiParameters(plain, log.data),
    ]
    const args = Object.fromEntries([...indexed, ...plain].map(({ name }, index) => [name, values[index]]))
    const decoded = { ...log, eventName, args }
    return isOf(events, decoded) ? decoded : null
  }
}

export type EventDecoder<Events extends readonly AbiEvent[]> = (log: Log) => EventLog<Events> | null

export type EventLog<Events extends readonly AbiEvent[]> = ParseEventLogsReturnType<Events, undefined, true>[number]

type EventShape = {
  readonly eventName: string
  readonly indexed: readonly AbiParameter[]
  readonly plain: readonly AbiParameter[]
  /** Of the hexadecimal text; `null` where a member is not one word. */
  readonly dataLength: number | null
}

function shapeOf({ name, inputs }: AbiEvent): EventShape {
  const plain = inputs.filter(({ indexed }) => !indexed)
  return {
    eventName: name,
    indexed: inputs.filter(({ indexed }) => indexed),
    plain,
    dataLength: plain.every(({ type }) => oneWord.test(type)) ? 2 + 64 * plain.length : null,
  }
}

const oneWord = /^(u?int\d+|address|bool|bytes\d+)$/

type DecodedLog = Log & { readonly eventName: string }

function isOf<const Events extends readonly AbiEvent[]>(
  events: Events,
  log: DecodedLog,
): log is DecodedLog & EventLog<Events> {
  return events.some(({ name }) => name === log.eventName)
}
