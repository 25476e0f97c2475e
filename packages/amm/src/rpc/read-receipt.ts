import { inTurns } from '@svc/runtime'
import { type Abi, type AbiEvent, type Hex, parseAbi, toEventSelector } from 'viem'
import { hasMoreValues } from '../fetch-json.ts'

/**
 * Parses the answer to a call for one receipt as it comes in. Whoever has code called by a transaction writes logs into it, a hundred
 * thousand for the gas of some: 60 MiB, which as objects would fill the memory. So of an answer above a mebibyte only logs of events are
 * kept that something here reads; what is shorter stays whole. `undefined` for what is no JSON. Throws `RangeError` where there is more than
 * the gas of a transaction pays for, or so long an answer breaks off; before that, what `parts` throws.
 */
export async function readReceipt(parts: AsyncIterable<Uint8Array>): Promise<unknown> {
  const scan = createScan()
  let [length, isLong] = [0, false]
  try {
    for await (const part of parts) {
      length += part.length
      if (length > longBytes && !isLong) {
        isLong = true
        scan.keepOnly(isKnown(await knownEvents()))
      }
      await inTurns(scan.read(part))
    }
    return scan.end()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw isLong && !(error instanceof RangeError) ? new RangeError('broke off', { cause: error }) : error
  }
}

const mebibyte = 1024 * 1024
const longBytes = mebibyte
/** Of text: more than the logs of known events that 40 million of gas can write. */
const mostKeptBytes = 24 * mebibyte
const mostLogs = 200_000
/** Of one log, and of what stands around the logs. */
const mostLogValues = 64
const mostOtherValues = 100_000
/** In one step of `inTurns`. */
const stepBytes = 0x4000

type Scan = {
  /** From now on, and of what there is already. */
  keepOnly(isWanted: (log: unknown) => boolean): void
  read(part: Uint8Array): Generator<void, void>
  /** Throws `SyntaxError`, as `read` does. */
  end(): unknown
}

/** Cuts the objects of `result.logs` out of a text that comes in parts, and parses each by itself, the rest with a 0 in place of each. */
function createScan(): Scan {
  const decoder = new TextDecoder()
  let isWanted: (log: unknown) => boolean = () => true
  let [rest, logs, seen, keptBytes]: [string, unknown[], number, number] = ['', [], 0, 0]
  let [depth, isString, isEscaped, isList] = [0, false, false, false]
  /** The log that is being read. */
  let log: Uint8Array[] | null = null
  let [member, innerMember] = ['', '']

  function keep(bytes: Uint8Array): void {
    keptBytes += bytes.length
    if (keptBytes > mostKeptBytes) throw new RangeError('too long')
    if (log === null) rest += decoder.decode(bytes, { stream: true })
    else log.push(bytes)
  }

  function take(parts: readonly Uint8Array[]): void {
    const [first = new Uint8Array(), ...others] = parts
    const bytes = others.length === 0 ? first : Buffer.concat(parts)
    seen += 1
    if (seen > mostLogs || hasMoreValues(bytes, mostLogValues)) throw new RangeError('too many values')
    const parsed: unknown = JSON.parse(decoder.decode(bytes))
    if (isWanted(parsed)) logs.push(parsed)
    else keptBytes -= bytes.length
    rest += '0'
  }

  function* read(part: Uint8Array): Generator<void, void> {
    let [from, pauseAt] = [0, stepBytes]
    const keepUntil = (to: number): void => {
      keep(part.subarray(from, to))
      from = to
    }
    for (let at = 0; at < part.length; at += 1) {
      if (at >= pauseAt) {
        yield
        pauseAt = at + stepBytes
      }
      if (isString && !isEscaped)
        while (at < part.length && part[at] !== marks.quote && part[at] !== marks.escape) at += 1
      const byte = part[at]
      if (isString) {
        const wasEscaped = isEscaped
        isEscaped = !wasEscaped && byte === marks.escape
        isString = wasEscaped || byte !== marks.quote
      } else if (byte === marks.quote) isString = true
      else if (byte === marks.colon && depth < 3) {
        keepUntil(at)
        const name = /(?<!\\)"(\w+)"\s*$/.exec(rest.slice(-64))?.[1] ?? ''
        if (depth === 1) member = name
        else innerMember = name
      } else if (byte === marks.brace || byte === marks.bracket) {
        if (depth === 1) innerMember = ''
        if (depth === 2 && byte === marks.bracket && member === 'result' && innerMember === 'logs') {
          ;[isList, logs, seen] = [true, [], 0]
        } else if (depth === 3 && isList && byte === marks.brace) {
          keepUntil(at)
          log = []
        }
        depth += 1
      } else if (byte === marks.braceEnd || byte === marks.bracketEnd) {
        depth -= 1
        if (depth === 2) isList = false
        if (depth === 3 && log !== null) {
          keepUntil(at + 1)
          take(log)
          log = null
        }
      }
    }
    keepUntil(part.length)
  }

  return {
    keepOnly: (wanted) => {
      isWanted = wanted
      logs = logs.filter(wanted)
    },
    read,
    end: () => {
      if (log !== null) throw new SyntaxError('a log is cut off')
      rest += decoder.decode()
      if (hasMoreValues(Buffer.from(rest), seen + mostOtherValues)) throw new RangeError('too many values')
      const answer = JSON.parse(rest) as { readonly result?: { logs?: unknown } | null } | null
      const listed = answer?.result?.logs
      if (!Array.isArray(listed) || !answer?.result) return answer
      if (listed.length !== seen) throw new SyntaxError('a log is no object')
      answer.result.logs = logs
      return answer
    },
  }
}

const marks = {
  quote: 0x22,
  escape: 0x5c,
  colon: 0x3a,
  brace: 0x7b,
  braceEnd: 0x7d,
  bracket: 0x5b,
  bracketEnd: 0x5d,
} as const

type Layout = { readonly topics: number; readonly words: number }

/** How logs of the events look that are read out of receipts, by their first topic. The ABIs are loaded when they are first asked for. */
export async function knownEvents(): Promise<ReadonlyMap<Hex, readonly Layout[]>> {
  const abis: readonly Readonly<Record<string, Abi>>[] = await Promise.all([
    import('../abis/cross-chain.ts'),
    import('../abis/tokens.ts'),
    import('../abis/twamm.ts'),
    import('../abis/v2.ts'),
    import('../abis/v3.ts'),
    import('../abis/v4.ts'),
  ])
  const layouts = new Map<Hex, Layout[]>()
  for (const item of [...abis.flatMap((each) => Object.values(each)).flat(), ...eventsElsewhere]) {
    if (item.type !== 'event') continue
    const indexed = item.inputs.filter((input) => input.indexed === true).length
    const topic = toEventSelector(item)
    layouts.set(topic, [...(layouts.get(topic) ?? []), { topics: indexed + 1, words: item.inputs.length - indexed }])
  }
  return layouts
}

/** A log without the topics or the data of its event is none of it. What has not the shape of a log is kept for whoever looks at that. */
function isKnown(events: ReadonlyMap<string, readonly Layout[]>): (log: unknown) => boolean {
  return (log) => {
    const { topics, data } = (log ?? {}) as { readonly topics?: unknown; readonly data?: unknown }
    if (!Array.isArray(topics) || typeof data !== 'string') return true
    const layouts = events.get(String(topics[0]).toLowerCase()) ?? []
    return layouts.some((one) => one.topics === topics.length && data.length >= 2 + 64 * one.words)
  }
}

/** What is read of receipts beside the events of these ABIs. */
const eventsElsewhere: readonly AbiEvent[] = parseAbi([
  'event Claimed(address indexed user, address indexed token, uint256 amount)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event CallMade(uint256 indexed index)',
  'event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)',
  'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
  'event BeforeExecution()',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'event Registered(uint256 indexed agentId, string agentURI, address indexed owner)',
  'event AgentRegistered(uint256 indexed agentId, address indexed owner, string handle, string metadataURI, uint8 interfaceType)',
  'event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue)',
])
