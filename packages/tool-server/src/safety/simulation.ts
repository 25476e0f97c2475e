import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  type PublicClient,
  toHex,
  zeroAddress,
} from 'viem'
import * as z from 'zod'
import { erc20Abi } from '../adapters/liquidity/abis/erc20.ts'
import { ToolError } from '../tool-error.ts'
import type { Allowance } from './approval-steps.ts'
import { assetChanges, type AssetChanges, type ChangeLog } from './asset-changes.ts'
import { revertReason } from './revert-reason.ts'
import type { Step } from './step.ts'

/**
 * Plays a whole sequence of transactions at one block with `eth_simulateV1`: the steps, then reads of the allowances they
 * leave, then the transactions that would take those back. Changes of the declared tokens are read from `balanceOf`
 * before and after, because logs are what a token says and balances are what the wallet has; others from logs. Throws
 * `SIMULATION_FAILED` (with the step and why), `INSUFFICIENT_BALANCE`, or `SIMULATION_UNAVAILABLE`: nothing is signed
 * on a guess.
 */
export async function simulate(request: SimulationRequest): Promise<Simulation> {
  const sequence = sequenceOf(request)
  const results = await run(request, sequence)
  const failed = results.findIndex(({ ok }, index) => !ok && sequence[index]?.mustSucceed === true)
  if (failed !== -1) {
    throw shortfall(request, results) ?? failure(request.steps[failed - request.tokens.length], results[failed])
  }

  const reads = request.tokens.length
  const steps = results.slice(reads, reads + request.steps.length)
  const leftoversAt = reads + request.steps.length
  const leftovers = request.allowances.map((_, index) => uintOf(results[leftoversAt + index]) ?? 0n)
  const revokesAt = leftoversAt + request.allowances.length
  const revokes = results.slice(revokesAt, revokesAt + request.allowances.length)
  const changes = assetChanges(
    steps.map(({ logs }) => logs),
    request,
  )
  const deltas = new Map(changes.deltas)
  request.tokens.forEach((token, index) => {
    const before = uintOf(results[index])
    const after = uintOf(results[results.length - reads + index])
    if (before !== null && after !== null) deltas.set(token.toLowerCase(), after - before)
  })
  return {
    blockNumber: request.block.number,
    deltas,
    rights: changes.rights,
    leftNfts: changes.leftNfts,
    leftovers,
    gasUsed: steps.map(({ gasUsed }) => gasUsed),
    revokeGasUsed: revokes.map(({ gasUsed }) => gasUsed),
  }
}

export type SimulationRequest = {
  readonly client: PublicClient
  readonly wallet: Address
  readonly wrappedNative: Address
  readonly steps: readonly Step[]
  readonly allowances: readonly Allowance[]
  /** The declared ERC-20 tokens, and the most of each that may leave. */
  readonly tokens: readonly Address[]
  readonly spends: ReadonlyMap<string, bigint>
  readonly revokes: readonly Step[]
  /** The block whose state it starts from, and the time at which it plays, in Unix seconds. */
  readonly block: { readonly number: bigint }
  readonly atSeconds: number
}

export type Simulation = AssetChanges & {
  readonly blockNumber: bigint
  /** What would be left of each allowance after the steps. */
  readonly leftovers: readonly bigint[]
  /** After refunds, per step. */
  readonly gasUsed: readonly bigint[]
  readonly revokeGasUsed: readonly bigint[]
}

type PlayedCall = { readonly to: Address; readonly data: Hex; readonly value: bigint; readonly mustSucceed: boolean }

type PlayedResult = {
  readonly ok: boolean
  readonly returnData: Hex
  readonly gasUsed: bigint
  readonly logs: readonly ChangeLog[]
}

function sequenceOf({ wallet, steps, allowances, tokens, revokes }: SimulationRequest): readonly PlayedCall[] {
  const read = (to: Address, data: Hex): PlayedCall => ({ to, data, value: 0n, mustSucceed: false })
  const balances = tokens.map((token) =>
    read(token, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })),
  )
  const carried = (list: readonly Step[], mustSucceed: boolean): readonly PlayedCall[] =>
    list.map(({ to, data, valueWei }) => ({ to, data, value: valueWei, mustSucceed }))
  const leftovers = allowances.map(({ token, spender }) =>
    read(token, encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] })),
  )
  return [...balances, ...carried(steps, true), ...leftovers, ...carried(revokes, false), ...balances]
}

async function run(request: SimulationRequest, sequence: readonly PlayedCall[]): Promise<readonly PlayedResult[]> {
  const { client, wallet, block, atSeconds } = request
  const calls = sequence.map(({ to, data, value }) => ({ from: wallet, to, data, value: toHex(value) }))
  let answer: unknown
  try {
    answer = await client.request<SimulateV1>({
      method: 'eth_simulateV1',
      params: [
        {
          blockStateCalls: [{ blockOverrides: { time: toHex(atSeconds) }, calls }],
          traceTransfers: true,
          validation: false,
        },
        toHex(block.number),
      ],
    })
  } catch (error) {
    throw refusalOf(error)
  }
  const parsed = answerSchema.safeParse(answer)
  if (!parsed.success || parsed.data[0].calls.length !== sequence.length) {
    throw unavailable('The endpoint answered the simulation in a form that is not understood.', parsed.error)
  }
  return parsed.data[0].calls
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
  }))
const answerSchema = z.tuple([z.object({ calls: z.array(result) })])

/** A step that failed while the wallet holds less than the call may spend failed for that, whatever the contract said. */
function shortfall({ tokens, spends }: SimulationRequest, results: readonly PlayedResult[]): ToolError | null {
  const details = tokens.flatMap((token, index) => {
    const holds = uintOf(results[index])
    const needs = spends.get(token.toLowerCase()) ?? 0n
    return holds === null || holds >= needs
      ? []
      : [{ message: 'in smallest units', token, holds: `${holds}`, needs: `${needs}` }]
  })
  if (details.length === 0) return null
  return new ToolError('INSUFFICIENT_BALANCE', 'The wallet holds less of a token than the call spends.', { details })
}

function failure(step: Step | undefined, played: PlayedResult | undefined): ToolError {
  const label = step?.label ?? 'a step'
  const reason = revertReason(played?.returnData)
  return new ToolError('SIMULATION_FAILED', `The transaction would fail: "${label}" ${reason}.`, {
    details: [{ message: reason, step: label, to: step?.to ?? zeroAddress }],
  })
}

function refusalOf(error: unknown): ToolError {
  if (error instanceof ToolError && error.code !== 'RPC_REFUSED') return error
  const { codes, text } = causesOf(error)
  if (codes.includes(-38014) || /insufficient funds/i.test(text)) {
    return new ToolError('INSUFFICIENT_BALANCE', 'The wallet holds less native currency than the call sends.', {
      cause: error,
    })
  }
  return unavailable('The endpoint cannot simulate transactions (eth_simulateV1).', error)
}

function unavailable(message: string, cause: unknown): ToolError {
  return new ToolError('SIMULATION_UNAVAILABLE', message, {
    cause,
    suggestion: 'Configure an endpoint that offers eth_simulateV1; nothing is signed without a simulation.',
  })
}

function causesOf(error: unknown): { readonly codes: readonly number[]; readonly text: string } {
  const codes: number[] = []
  const texts: string[] = []
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'number') codes.push(cause.code)
    texts.push('details' in cause && typeof cause.details === 'string' ? cause.details : cause.message)
  }
  return { codes, text: texts.join('\n') }
}

function uintOf(played: PlayedResult | undefined): bigint | null {
  if (played === undefined || !played.ok || played.returnData.length !== 66) return null
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: played.returnData })
}
