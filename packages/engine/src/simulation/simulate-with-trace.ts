import { decodeFunctionResult, encodeFunctionData, type Hex, type PublicClient, size, toHex } from 'viem'
import * as z from 'zod'
import { stepPlayer } from '../calldata/contracts.gen.ts'
import type { SimulatedCall, SimulatedFrom, SimulatedResult } from './asset-changes.ts'
import { ToolError } from '@svc/amm'

/**
 * Plays a sequence in one block with `eth_simulateV1`: logs of every call, and those of a tracer for native currency.
 * Rejects with what the endpoint answered, or with `SIMULATION_UNAVAILABLE` where that is not understood.
 */
export async function simulateWithTrace(
  client: PublicClient,
  { wallet, block, atSeconds, ...assumed }: SimulatedFrom,
  sequence: readonly SimulatedCall[],
): Promise<readonly SimulatedResult[]> {
  const code = codeMeanwhile(assumed)
  const calls = sequence.map(({ from = wallet, to, data, value }) => ({ from, to, data, value: toHex(value) }))
  const answer: unknown = await client.request<SimulateV1>({
    method: 'eth_simulateV1',
    params: [
      {
        blockStateCalls: [
          {
            blockOverrides: { time: toHex(atSeconds) },
            ...(code === undefined ? {} : { stateOverrides: { [wallet]: { code } } }),
            calls,
          },
        ],
        traceTransfers: true,
        validation: false,
      },
      toHex(block.number),
    ],
  })
  const parsed = answerSchema.safeParse(answer)
  if (!parsed.success || parsed.data[0].calls.length !== sequence.length) {
    throw simulationUnavailable('The endpoint answered the simulation in a form that is not understood.', parsed.error)
  }
  return parsed.data[0].calls
}

/** What stands at the wallet's address. One account cannot run two codes, so that a batch which wants a signature has no simulation. */
function codeMeanwhile({ code, isUnsigned = false }: Pick<SimulatedFrom, 'code' | 'isUnsigned'>): Hex | undefined {
  if (!isUnsigned) return code
  if (code === undefined) return takesAnySignature
  throw new ToolError('UNSAFE_TRANSACTION', 'A batch holds no call whose signature is still to be made.', {
    details: [{ message: 'the permit' }],
  })
}

/** Answers whatever it is asked with the selector of `isValidSignature` (EIP-1271), as an account does that takes a signature for its own. */
const takesAnySignature = '0x631626ba7e60e01b60005260206000f3'

/**
 * Remembers for ten minutes which chains' endpoints lack `eth_simulateV1`, so that not every write asks in vain, and no
 * longer, so that an endpoint that has learned it is used. All endpoints of a chain have refused it when it is noted.
 */
export function createSimulatorMemory(now: () => number): SimulatorMemory {
  const lacksUntil = new Map<number, number>()
  return Object.freeze({
    lacksTracing: (chainId: number) => (lacksUntil.get(chainId) ?? 0) > now(),
    noteLack: (chainId: number) => void lacksUntil.set(chainId, now() + rememberedForMs),
  })
}

export type SimulatorMemory = {
  lacksTracing(this: void, chainId: number): boolean
  noteLack(this: void, chainId: number): void
}

type SimulateV1 = { Method: 'eth_simulateV1'; Parameters: readonly unknown[]; ReturnType: unknown }

const hex = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value))
const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform((text) => BigInt(text))
const log = z.object({ address: hex, topics: z.array(hex), data: hex })
const result = z
  .object({
    status: quantity,
    returnData: hex,
    gasUsed: quantity,
    logs: z.array(log).optional(),
    error: z.object({ data: hex.optional() }).optional(),
  })
  .transform(({ status, returnData, gasUsed, logs, error }) => ({
    ok: status === 1n,
    // The revert data stands in the error at some nodes, in the return data at others.
    returnData: error?.data ?? returnData,
    gasUsed,
    logs: logs ?? [],
    nativeDelta: null,
  }))
const answerSchema = z.tuple([z.object({ calls: z.array(result) })])

const rememberedForMs = 10 * 60_000

/**
 * Plays a sequence with one `eth_call` at an endpoint that cannot do more: a small contract stands at the wallet's own
 * address for the length of the call and makes the calls one after the other. There are no logs, so what leaves
 * undeclared stays unseen; gas is guessed from above. The time is that of the block. Rejects with what the endpoint
 * answered, or with `SIMULATION_UNAVAILABLE` where it did not put the contract there.
 */
export async function simulateWithOverrides(
  client: PublicClient,
  { wallet, block }: SimulatedFrom,
  sequence: readonly SimulatedCall[],
): Promise<readonly SimulatedResult[]> {
  const data = encodeFunctionData({
    abi: stepPlayer.abi,
    functionName: 'play',
    args: [sequence.map(({ to, value, data: input }) => ({ to, value, data: input }))],
  })
  const { data: answer } = await client.call({
    account: wallet,
    to: wallet,
    data,
    blockNumber: block.number,
    stateOverride: [{ address: wallet, code: stepPlayer.runtime }],
  })
  return decode(answer, sequence)
}

function decode(answer: Hex | undefined, sequence: readonly SimulatedCall[]): readonly SimulatedResult[] {
  try {
    const simulated = decodeFunctionResult({ abi: stepPlayer.abi, functionName: 'play', data: answer ?? '0x' })
    if (simulated.length !== sequence.length) throw new RangeError('another number of calls came back')
    return simulated.map(({ ok, returnData, gasUsed, balanceBefore, balanceAfter }, index) => ({
      ok,
      returnData,
      gasUsed: asTransaction(gasUsed, sequence[index]?.data ?? '0x'),
      logs: [],
      nativeDelta: balanceAfter - balanceBefore,
    }))
  } catch (cause) {
    throw simulationUnavailable('The endpoint does not simulate: it ignores state overrides.', cause)
  }
}

/**
 * Gas of a call as a transaction of its own: the base and its data at the dearest (EIP-7623 floor, 40 a byte), and a
 * quarter more, because what earlier calls of the sequence warmed is cold for it (EIP-2929).
 */
function asTransaction(gasUsed: bigint, data: Hex): bigint {
  return 21_000n + 40n * BigInt(size(data)) + (gasUsed * 5n) / 4n
}

/**
 * What an endpoint's refusal to simulate means: the wallet is short of native currency, which `short` says in amounts, or
 * nothing can be simulated.
 */
export async function simulationFailure(error: unknown, short: () => Promise<ToolError | null>): Promise<ToolError> {
  if (error instanceof ToolError && error.code !== 'RPC_REFUSED') return error
  const { codes, text } = causesOf(error)
  if (codes.includes(-38014) || /insufficient funds/i.test(text)) {
    const message = 'The wallet holds less native currency than the call sends.'
    return (await short()) ?? new ToolError('INSUFFICIENT_BALANCE', message, { cause: error })
  }
  // An endpoint that lacks the method keeps lacking it; one that failed may answer the next time.
  return simulationUnavailable(
    'The endpoint cannot simulate transactions (eth_simulateV1).',
    error,
    !lacksMethod(error),
  )
}

/** Whether an endpoint's refusal says that it does not have the method at all. */
export function lacksMethod(error: unknown): boolean {
  const { codes, text } = causesOf(error)
  return codes.some((code) => code === -32601 || code === -32004) || absent.test(text)
}

export function simulationUnavailable(message: string, cause?: unknown, retryable?: boolean): ToolError {
  return new ToolError('SIMULATION_UNAVAILABLE', message, {
    cause,
    ...(retryable === undefined ? {} : { retryable }),
    suggestion: 'Configure an endpoint that offers eth_simulateV1; nothing is signed without a simulation.',
  })
}

/** How nodes and the proxies before them say that they do not have a method, where they have no code for it. */
const absent =
  /method.{0,40}(not found|not supported|unsupported|not available|unavailable|does not exist|not allowed|not whitelisted|disabled)|(unknown|unsupported|invalid) method/i

function causesOf(error: unknown): { readonly codes: readonly number[]; readonly text: string } {
  const codes: number[] = []
  const texts: string[] = []
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'number') codes.push(cause.code)
    texts.push('details' in cause && typeof cause.details === 'string' ? cause.details : cause.message)
  }
  return { codes, text: texts.join('\n') }
}
