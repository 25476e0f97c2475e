import {
  concat,
  encodeAbiParameters,
  type Hex,
  decodeAbiParameters,
  maxUint256,
  numberToHex,
  type PublicClient,
} from 'viem'
import { ToolError } from '../tool-error.ts'
import type { ContractRead } from './contract-function.ts'
import { callPipes } from './contracts.gen.ts'

/** A read that takes a word from the answer of the one before it, as a quote takes the amount that the pool before pays out. */
export type PipedRead<Result> = ContractRead<Result> & {
  /** Where in the calldata the word stands that comes from the read before, in bytes; above 0. */
  readonly inputAt: number
  /** Where in the answer the word stands that goes on, in bytes; `null` for its last one. */
  readonly outputAt: number | null
}

/** Reads of which the first has its own input, and each after it takes that from the answer before. */
export type Pipe<Result> = readonly PipedRead<Result>[]

/**
 * Reads along pipes at one block, in one HTTP request: code that is part of the call hands the words on, so that what rests on another
 * answer needs no wait of its own. `null` for a pipe in which a read fails, and where the chain does not run such code.
 *
 * @throws ToolError `RPC_*`, but not where the endpoint refuses a call that names no address.
 */
export async function readPipes<Result>(
  client: PublicClient,
  pipes: readonly Pipe<Result>[],
  blockNumber: bigint,
): Promise<readonly (readonly Result[] | null)[]> {
  const calls = Array.from({ length: Math.ceil(pipes.length / pipesPerCall) }, (_, nth) =>
    pipes.slice(nth * pipesPerCall, (nth + 1) * pipesPerCall),
  )
  return (await Promise.all(calls.map((call) => readCall(client, call, blockNumber)))).flat()
}

/** Quotes are heavy, and a call has the gas of one `eth_call` for all of them. */
const pipesPerCall = 4

async function readCall<Result>(
  client: PublicClient,
  pipes: readonly Pipe<Result>[],
  blockNumber: bigint,
): Promise<readonly (readonly Result[] | null)[]> {
  const answers = await answersOf(client, pipes.flatMap(stepsOf), blockNumber)
  let start = 0
  return pipes.map((pipe) => {
    const own = answers.slice(start, (start += pipe.length))
    return decoded(pipe, own)
  })
}

async function answersOf(client: PublicClient, steps: readonly Step[], blockNumber: bigint): Promise<readonly Hex[]> {
  const data = concat([callPipes.bytecode, encodeAbiParameters(callPipes.abi[0].inputs, [steps])])
  try {
    const answer = await client.request({ method: 'eth_call', params: [{ data }, numberToHex(blockNumber)] })
    return decodeAbiParameters([{ type: 'bytes[]' }], answer)[0]
  } catch (error) {
    if (error instanceof ToolError && error.code !== 'RPC_REFUSED') throw error
    return []
  }
}

type Step = { readonly to: Hex; readonly data: Hex; readonly inputAt: bigint; readonly outputAt: bigint }

function stepsOf(pipe: Pipe<unknown>): readonly Step[] {
  return pipe.map(({ to, data, inputAt, outputAt }, index) => ({
    to,
    data,
    inputAt: index === 0 ? 0n : BigInt(inputAt),
    outputAt: outputAt === null ? maxUint256 : BigInt(outputAt),
  }))
}

function decoded<Result>(pipe: Pipe<Result>, answers: readonly Hex[]): readonly Result[] | null {
  try {
    return pipe.map((read, index) => {
      const answer = answers[index] ?? '0x'
      if (answer === '0x') throw new RangeError('no answer')
      return read.decode(answer)
    })
  } catch {
    return null
  }
}
