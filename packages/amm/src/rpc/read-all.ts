import { type Address, type Hex, numberToHex, parseAbi, type PublicClient, toFunctionSelector } from 'viem'
import type { Chain } from '@svc/wallet/core'
import { inTurns, yieldToEventLoop } from '@svc/runtime'
import { ToolError } from '../tool-error.ts'
import { contractFunction, type ContractRead } from './contract-function.ts'

/**
 * Reads many contracts at one block, over Multicall3, in one HTTP request. A read that reverts or answers with other
 * bytes than its ABI says is `null`; a failing endpoint is never taken for one.
 *
 * @throws ToolError `RPC_*`, `RPC_UNAVAILABLE` also where what was answered is not what Multicall3 answers.
 */
export async function readAll<const TReads extends readonly ContractRead<unknown>[]>(
  client: PublicClient,
  chain: Chain,
  reads: TReads,
  blockNumber: bigint,
  readsPerCall = lightReadsPerCall,
): Promise<ReadResults<TReads>> {
  const chunks = chunksOf<ContractRead<unknown>>(reads, readsPerCall)
  const results = await Promise.all(chunks.map((chunk) => readChunk(client, chain, chunk, blockNumber)))
  return results.flat() as ReadResults<TReads>
}

export type ReadResults<TReads extends readonly ContractRead<unknown>[]> = {
  readonly [Key in keyof TReads]: TReads[Key] extends ContractRead<infer Result> ? Result | null : never
}

/**
 * The same, each call made once, and where no block is named at the newest of each. `null` where one fails, whatever for: for
 * state that an endpoint may not have.
 */
export async function readOnce<const TReads extends readonly ContractRead<unknown>[]>(
  client: PublicClient,
  chain: Chain,
  reads: TReads,
  blockNumber?: bigint,
): Promise<ReadResults<TReads> | null> {
  try {
    const results = chunksOf<ContractRead<unknown>>(reads, lightReadsPerCall).map(async (chunk) => {
      return decodeAll(
        chunk,
        await ethCall(client, { to: chain.multicall3, data: encodeAggregate3(chunk) }, blockNumber),
      )
    })
    return (await Promise.all(results)).flat() as ReadResults<TReads>
  } catch {
    return null
  }
}

/**
 * The same at the newest block, which each call tells with its answer: `null` also where the calls do not tell the same one.
 */
export async function readNewest(
  client: PublicClient,
  chain: Chain,
  reads: readonly ContractRead<unknown>[],
): Promise<{ readonly blockNumber: bigint; readonly results: readonly unknown[] } | null> {
  const number: readonly ContractRead<unknown>[] = [readNumber(chain.multicall3, [])]
  const chunks = chunksOf(reads, lightReadsPerCall - 1)
  const answers = await Promise.all(chunks.map((chunk) => readOnce(client, chain, number.concat(chunk))))
  const [first] = answers
  const blockNumber = first?.[0]
  if (typeof blockNumber !== 'bigint' || answers.some((answer) => answer?.[0] !== blockNumber)) return null
  return { blockNumber, results: answers.flatMap((answer) => answer?.slice(1) ?? []) }
}

/** Of which block Multicall3 answers. */
export const readNumber = contractFunction(
  parseAbi(['function getBlockNumber() view returns (uint256 number)']),
  'getBlockNumber',
)

/**
 * `eth_call` as it is, at the newest block where none is named. viem's own action looks at a score of options that no read has, and words
 * each refusal at length, also where it is none: an endpoint without older state refuses several of them with every price.
 *
 * @throws ToolError `RPC_*`, viem's error where the contract reverts.
 */
export function ethCall(
  client: PublicClient,
  { to, data }: { readonly to: Address; readonly data: Hex },
  blockNumber?: bigint,
): Promise<Hex> {
  const block = blockNumber === undefined ? 'latest' : numberToHex(blockNumber)
  return client.request({ method: 'eth_call', params: [{ to, data }, block] })
}

/**
 * The results of reads that cannot revert.
 *
 * @throws ToolError `RPC_REFUSED` when one did, which means that the node could not carry it out.
 */
export function everyResult<Result>(results: readonly (Result | null)[]): Result[] {
  return results.map((result) => {
    if (result !== null) return result
    const message = 'The endpoint of the chain could not carry out a part of the reading.'
    throw new ToolError('RPC_REFUSED', message, { details: [{ field: 'chain', message }] })
  })
}

/**
 * What Multicall3's `aggregate3` answers: `(bool success, bytes returnData)[]`, laid out as the Contract ABI Specification
 * says. Every read of a chain comes through it, and the general decoder takes more time for one than the node for its
 * answer. Throws `RangeError` for bytes that are cut off, point outside themselves or occur twice.
 */
export function decodeAggregate3(data: Hex): readonly Aggregate3Outcome[] {
  const text = data.slice(2)
  const list = numberAt(text, 0)
  const count = numberAt(text, list)
  const first = list + wordBytes
  // Each element takes three words at least, so a count beyond that is no count.
  if (count * 3 * wordBytes > text.length / 2) throw new RangeError('more elements than bytes')
  let left = text.length
  return Array.from({ length: count }, (_, index) => {
    const tuple = first + numberAt(text, first + index * wordBytes)
    const bytes = tuple + numberAt(text, tuple + wordBytes)
    const start = (bytes + wordBytes) * 2
    const end = start + numberAt(text, bytes) * 2
    if (end > text.length) throw new RangeError('cut off')
    // Else a thousand elements could share one long text, and the work of reading it be done a thousand times.
    left -= end - start
    if (left < 0) throw new RangeError('more bytes than there are')
    return { success: numberAt(text, tuple) !== 0, returnData: `0x${text.slice(start, end)}` }
  })
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const chunks: Item[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}

/**
 * Keeps one eth_call below the 50 million gas that nodes usually grant it. Most reads cost about 10,000; the half hour that the oracle
 * of a v3 pool recalls costs up to about a million, once in six reads of such a pool.
 */
export const lightReadsPerCall = 150

/** In hexadecimal digits; 32 KiB are more than anything read here answers with, and are decoded in a millisecond. */
const longestReturn = 65_536

/** A chunk that fails as a whole (out of gas, say) is read in halves, so that one bad contract spoils nothing else. */
async function readChunk(
  client: PublicClient,
  chain: Chain,
  reads: readonly ContractRead<unknown>[],
  blockNumber: bigint,
): Promise<unknown[]> {
  const data = encodeAggregate3(reads)
  let answer: Hex
  try {
    answer = await ethCall(client, { to: chain.multicall3, data }, blockNumber)
  } catch (error) {
    if (error instanceof ToolError) throw error
    if (reads.length === 1) return [null]
    const half = Math.ceil(reads.length / 2)
    const halves = [reads.slice(0, half), reads.slice(half)]
    return (await Promise.all(halves.map((part) => readChunk(client, chain, part, blockNumber)))).flat()
  }
  if (answer === '0x') {
    const message = `${chain.name} has no Multicall3 where its configuration says.`
    throw new ToolError('RPC_REFUSED', message, { details: [{ field: 'chain', message }] })
  }
  return decodeAll(reads, answer)
}

async function decodeAll(reads: readonly ContractRead<unknown>[], answer: Hex): Promise<unknown[]> {
  await yieldToEventLoop()
  return inTurns(decoded(reads, outcomesOf(answer, reads.length)))
}

function* decoded(
  reads: readonly ContractRead<unknown>[],
  outcomes: readonly Aggregate3Outcome[],
): Generator<void, unknown[]> {
  const results: unknown[] = []
  for (const [index, read] of reads.entries()) {
    results.push(decodeOutcome(read, outcomes[index]))
    yield
  }
  return results
}

function outcomesOf(answer: Hex, count: number): readonly Aggregate3Outcome[] {
  try {
    const outcomes = decodeAggregate3(answer)
    if (outcomes.length === count) return outcomes
  } catch {
    // As wrong as another number of them.
  }
  const message = 'The endpoint of this chain answered a reading of its contracts with what Multicall3 cannot answer.'
  throw new ToolError('RPC_UNAVAILABLE', message, {
    details: [
      { field: 'chain', message, accepted: 'a chain whose endpoint answers eth_call, or another endpoint for it' },
    ],
  })
}

function decodeOutcome(read: ContractRead<unknown>, outcome: Aggregate3Outcome | undefined): unknown {
  // No contract, or none with that function. The decoder would say so by an error, which costs more than the read.
  if (!outcome?.success || outcome.returnData === '0x') return null
  // A name without end, say.
  if (outcome.returnData.length > longestReturn) return null
  try {
    return read.decode(outcome.returnData)
  } catch {
    return null
  }
}

/**
 * The calldata of Multicall3's `aggregate3((address target, bool allowFailure, bytes callData)[])` with failures allowed,
 * laid out as the Contract ABI Specification says for an array of dynamic tuples. Every read of a chain goes through
 * it, and the general encoder takes more time for one than the node for its answer. Throws `TypeError` for a target that
 * is no address.
 */
export function encodeAggregate3(calls: readonly { readonly to: Address; readonly data: Hex }[]): Hex {
  const tuples = calls.map(tupleOf)
  let offset = calls.length * 32
  const offsets = tuples.map((tuple) => {
    const at = word(offset)
    offset += tuple.length / 2
    return at
  })
  return `${selector}${word(32)}${word(calls.length)}${offsets.join('')}${tuples.join('')}`
}

const selector = toFunctionSelector('function aggregate3((address,bool,bytes)[])')

function tupleOf({ to, data }: { readonly to: Address; readonly data: Hex }): string {
  if (!/^0x[0-9a-f]{40}$/i.test(to)) throw new TypeError('A read needs the address of a contract.')
  const bytes = data.slice(2)
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')
  return `${to.slice(2).toLowerCase().padStart(64, '0')}${word(1)}${word(96)}${word(bytes.length / 2)}${padded}`
}

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}

type Aggregate3Outcome = { readonly success: boolean; readonly returnData: Hex }

const wordBytes = 32

/** A word as a number; offsets, lengths and truth values are small. */
function numberAt(text: string, byte: number): number {
  const word = text.slice(byte * 2, (byte + wordBytes) * 2)
  if (!/^0{56}[0-9a-f]{8}$/i.test(word)) throw new RangeError('not a small number')
  return Number.parseInt(word, 16)
}
