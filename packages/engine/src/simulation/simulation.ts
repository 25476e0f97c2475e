import { type Address, hexToBigInt, type PublicClient, zeroAddress } from 'viem'
import { erc20Abi, v3PositionManagerAbi } from '@svc/amm/abis'
import { contractFunction } from '@svc/amm/rpc'
import { type Token, ToolError } from '@svc/amm'
import type { Allowance, Step } from '../call/step.ts'
import {
  assetChanges,
  type AssetChanges,
  type SimulatedCall,
  type SimulatedFrom,
  type SimulatedResult,
} from './asset-changes.ts'
import type { CalledContracts } from '../calldata/known-contracts.ts'
import type { Read } from '../calldata/pool-identity.ts'
import {
  simulateWithOverrides,
  simulateWithTrace,
  type SimulatorMemory,
  lacksMethod,
  simulationFailure,
  simulationUnavailable,
} from './simulate-with-trace.ts'
import { isPastSlippage, revertReason } from './revert-reason.ts'
import { readsBefore, simulatedDeposit, type SimulatedDeposit } from './simulated-deposits.ts'
import { shortOf } from '../call/refusal.ts'
import type { Inspected, Inspection } from './inspection.ts'

/**
 * Plays a whole sequence of transactions at one block: the steps, those that deposit between reads of their pools, then
 * reads of the allowances they leave, then the transactions that would take those back. Changes of the declared tokens are
 * read from `balanceOf` before and after, because logs are what a token says and balances are what the wallet has; others
 * from logs. Where no endpoint of the chain has `eth_simulateV1`, an `eth_call` with state overrides plays the same without
 * logs, and says so. Throws `SIMULATION_FAILED` (with the step and why), `SIMULATION_DRIFT` where the pool moved past the
 * call's slippage, `INSUFFICIENT_BALANCE`, or `SIMULATION_UNAVAILABLE`: nothing is signed on a guess.
 */
export async function simulate(request: SimulationRequest): Promise<Simulation> {
  const { sequence, at } = sequenceOf(request)
  const { results, playedBy } = await run(request, sequence)
  const failed = results.findIndex(({ ok }, index) => !ok && sequence[index]?.mustSucceed === true)
  if (failed !== -1) {
    const simulated = await withRevertData(request, sequence.slice(0, failed + 1), results[failed])
    const failedStep = request.steps[at.steps.findIndex(({ index }) => index === failed)]
    throw naming(failedStep, await shortfall(request, results)) ?? failure(failedStep, simulated)
  }

  const simulated = (indexes: readonly number[]) => indexes.flatMap((index) => results[index] ?? [])
  const steps = simulated(at.steps.map(({ index }) => index))
  const changes = assetChanges(
    steps.map(({ logs }) => logs),
    request,
  )
  const native = playedBy === 'eth_call' ? steps.reduce((sum, step) => sum + (step.nativeDelta ?? 0n), 0n) : null
  return {
    playedBy,
    blockNumber: request.block.number,
    deltas: deltasOf(request, changes, native, {
      before: at.before.map((index) => uintOf(results[index])),
      after: at.after.map((index) => uintOf(results[index])),
    }),
    rights: changes.rights,
    leftNfts: changes.leftNfts,
    leftovers: at.leftovers.map((index) => uintOf(results[index]) ?? 0n),
    kept: keptIn(request, steps),
    paid: paidIn(request, steps),
    foreignPositions: request.positions.filter(
      (_, index) => uintOf(results[at.owners[index] ?? -1]) !== BigInt(request.wallet),
    ),
    deposits: at.steps.flatMap(({ deposits }) =>
      deposits.map(({ deposit, before, after }) => simulatedDeposit(deposit, simulated(before), results[after])),
    ),
    inspected: request.inspection.decode(
      simulated(at.inspectedBefore),
      simulated(at.inspectedAfter),
      simulated(at.last),
    ),
    gasUsed: steps.map(({ gasUsed }) => gasUsed),
    revokeGasUsed: simulated(at.revokes).map(({ gasUsed }) => gasUsed),
  }
}

export type SimulationRequest = SimulatedFrom & {
  readonly client: PublicClient
  readonly chainId: number
  readonly memory: SimulatorMemory
  readonly wrappedNative: Address
  readonly steps: readonly Step[]
  readonly allowances: readonly Allowance[]
  /** The declared ERC-20 tokens, and the most of each that may leave. */
  readonly tokens: readonly Address[]
  readonly spends: ReadonlyMap<string, bigint>
  /** What the wallet holds of native currency, tokens by address, and what speaks against them, to say what is short; `null` where nobody asks. */
  readonly funds: {
    readonly balanceWei: bigint
    tokenOf(token: Address): Promise<Token>
    warnings(): Promise<readonly string[]>
  } | null
  readonly revokes: readonly Step[]
  readonly inspection: Inspection
} & Pick<CalledContracts, 'contracts' | 'positions' | 'payees' | 'deposits'>

export type Simulation = AssetChanges & {
  /** `eth_call` sees the declared tokens and native currency alone: no rights, no NFTs, nothing undeclared. */
  readonly playedBy: 'eth_simulateV1' | 'eth_call'
  readonly blockNumber: bigint
  /** What would be left of each allowance after the steps. */
  readonly leftovers: readonly bigint[]
  /** What the steps left in routers and position managers, by the logs. */
  readonly kept: readonly { readonly contract: Address; readonly token: string; readonly amount: bigint }[]
  /** What arrived at payees the operator lists, by token, by the logs. */
  readonly paid: ReadonlyMap<string, bigint>
  /** Positions of the calldata that the wallet did not own before the steps. */
  readonly foreignPositions: CalledContracts['positions']
  /** In the order in which the steps make them. */
  readonly deposits: readonly SimulatedDeposit[]
  /** What is needed to value positions and pools. */
  readonly inspected: Inspected
  /** After refunds, per step. */
  readonly gasUsed: readonly bigint[]
  readonly revokeGasUsed: readonly bigint[]
  /** What of the deltas a signed order moves, by whoever fills it: no step shows it. */
  readonly inOrder?: ReadonlyMap<string, bigint>
  /** Of several operations as one: what their calls would use as transactions of their own, in order. */
  readonly apart?: readonly bigint[]
}

/** By what logs say, and balances where a token is declared; of native currency, `null` where the logs tell. */
function deltasOf(
  request: SimulationRequest,
  changes: AssetChanges,
  native: bigint | null,
  balances: Readonly<Record<'before' | 'after', readonly (bigint | null)[]>>,
): ReadonlyMap<string, bigint> {
  const deltas = new Map(changes.deltas)
  if (native !== null) deltas.set(zeroAddress, native)
  else requireTrace(request, deltas)
  request.tokens.forEach((token, index) => {
    const [before, after] = [balances.before[index] ?? null, balances.after[index] ?? null]
    if (before !== null && after !== null) deltas.set(token.toLowerCase(), after - before)
  })
  return deltas
}

/** Nothing should stay in a router or position manager: whoever comes next may take it. */
function keptIn(
  { contracts, wrappedNative }: SimulationRequest,
  steps: readonly SimulatedResult[],
): Simulation['kept'] {
  const logs = steps.map((step) => step.logs)
  return contracts.flatMap((contract) =>
    [...assetChanges(logs, { wallet: contract, wrappedNative }).deltas].flatMap(([token, amount]) =>
      amount > 0n ? [{ contract, token, amount }] : [],
    ),
  )
}

function paidIn({ payees, wrappedNative }: SimulationRequest, steps: readonly SimulatedResult[]): Simulation['paid'] {
  const logs = steps.map((step) => step.logs)
  const paid = new Map<string, bigint>()
  for (const wallet of payees) {
    for (const [token, amount] of assetChanges(logs, { wallet, wrappedNative }).deltas) {
      if (amount > 0n) paid.set(token, (paid.get(token) ?? 0n) + amount)
    }
  }
  return paid
}

const readBalance = contractFunction(erc20Abi, 'balanceOf')
const readAllowance = contractFunction(erc20Abi, 'allowance')
const readOwner = contractFunction(v3PositionManagerAbi, 'ownerOf')

/** The calls to play, and where in their order each kind stands. */
function sequenceOf(request: SimulationRequest) {
  const { wallet, allowances, tokens, positions, revokes, inspection } = request
  const sequence: SimulatedCall[] = []
  const put = (call: SimulatedCall): number => sequence.push(call) - 1
  const read = ({ to, data }: Read): number => put({ to, data, value: 0n, mustSucceed: false })
  const carry = ({ from, to, data, valueWei }: Step, mustSucceed: boolean): number =>
    put({ from, to, data, value: valueWei, mustSucceed })
  const balances = () => tokens.map((token) => read(readBalance(token, [wallet])))
  const before = balances()
  const owners = positions.map(({ contract, id }) => read(readOwner(contract, [id])))
  const inspectedBefore = inspection.before.map(put)
  const steps = request.steps.map((step) => {
    const own = depositsOf(step, request)
    const asked = own.map(({ reads }) => readsBefore(reads).map(read))
    const index = carry(step, true)
    const deposits = own.map(({ deposit, reads }, nth) => {
      return { deposit, before: asked[nth] ?? [], after: read(reads.price) }
    })
    return { index, deposits }
  })
  const leftovers = allowances.map(({ token, spender }) => read(readAllowance(token, [wallet, spender])))
  const undone = revokes.map((step) => carry(step, false))
  const inspectedAfter = inspection.after.map(put)
  const after = balances()
  const last = inspection.last.map(put)
  const at = { before, owners, inspectedBefore, steps, leftovers, revokes: undone, inspectedAfter, after, last }
  return { sequence, at }
}

/** The deposits that a step makes, each with what shows it. */
function depositsOf(step: Step, { deposits }: SimulationRequest) {
  const own = deposits.filter(({ call }) => step.kind === 'call' && call.to === step.to && call.data === step.data)
  return own.flatMap((deposit) => (deposit.reads === null ? [] : [{ deposit, reads: deposit.reads }]))
}

async function run(request: SimulationRequest, sequence: readonly SimulatedCall[]): Promise<Simulated> {
  const { client, chainId, memory, code } = request
  if (!memory.lacksTracing(chainId)) {
    try {
      return { results: await simulateWithTrace(client, request, sequence), playedBy: 'eth_simulateV1' }
    } catch (error) {
      if (!lacksMethod(error)) throw await simulationFailure(error, () => nativeShortfall(request))
      memory.noteLack(chainId)
    }
  }
  // The contract of the fallback stands where that code would.
  if (request.isUnsigned === true) {
    throw simulationUnavailable(
      'The endpoint cannot simulate a call whose signature is still to be made (eth_simulateV1).',
    )
  }
  if (code !== undefined) throw simulationUnavailable('The endpoint cannot simulate a batch (eth_simulateV1).')
  try {
    return { results: await simulateWithOverrides(client, request, sequence), playedBy: 'eth_call' }
  } catch (error) {
    throw await simulationFailure(error, () => nativeShortfall(request))
  }
}

type Simulated = { readonly results: readonly SimulatedResult[]; readonly playedBy: Simulation['playedBy'] }

/** Some nodes say that a call failed and not why: then it is simulated once more in a way that tells. */
async function withRevertData(
  request: SimulationRequest,
  upToFailure: readonly SimulatedCall[],
  simulated: SimulatedResult | undefined,
): Promise<SimulatedResult | undefined> {
  if (simulated !== undefined && simulated.returnData.length > 2) return simulated
  // That way has a contract of its own where the code of a batch or of an assumed signature would stand.
  if (request.isUnsigned === true || request.code !== undefined) return simulated
  const again = await simulateWithOverrides(request.client, request, upToFailure).catch(() => [])
  return again.at(-1)?.ok === false ? again.at(-1) : simulated
}

/** Native currency that is sent must show in the trace; an endpoint that does not trace it shows too little leaving. */
function requireTrace({ steps }: SimulationRequest, deltas: ReadonlyMap<string, bigint>): void {
  if (deltas.has(zeroAddress) || steps.every(({ valueWei }) => valueWei === 0n)) return
  throw simulationUnavailable('The endpoint simulates without tracing native currency.')
}

/** A step that failed while the wallet holds less than the call may spend failed for that, whatever the contract said. */
async function shortfall(
  { tokens, spends, funds }: SimulationRequest,
  results: readonly SimulatedResult[],
): Promise<ToolError | null> {
  return refuseShort(
    funds,
    tokens.map((token, index) => ({
      token,
      holds: uintOf(results[index]),
      needs: spends.get(token.toLowerCase()) ?? 0n,
    })),
  )
}

/** Some endpoints do not play a call that sends more native currency than the wallet holds. */
async function nativeShortfall({ steps, funds }: SimulationRequest): Promise<ToolError | null> {
  const needs = steps.reduce((sum, { valueWei }) => sum + valueWei, 0n)
  return refuseShort(funds, [{ token: zeroAddress, holds: funds?.balanceWei ?? null, needs }])
}

async function refuseShort(
  funds: SimulationRequest['funds'],
  needed: readonly { readonly token: Address; readonly holds: bigint | null; readonly needs: bigint }[],
): Promise<ToolError | null> {
  const lacking = needed.flatMap(({ token, holds, needs }) =>
    holds === null || holds >= needs || funds === null ? [] : [{ token: funds.tokenOf(token), holds, needs }],
  )
  if (lacking.length === 0 || funds === null) return null
  const shortages = await Promise.all(
    lacking.map(async ({ token, holds, needs }) => ({ token: await token, holds, needs })),
  )
  const { code, message, details = [] } = shortOf(shortages)
  const warnings = await funds.warnings()
  // Nobody should get more of a token that poses as another.
  if (warnings.length === 0) return new ToolError(code, message, { details })
  return new ToolError(code, [...warnings, message].join(' '), { details, suggestion: meantAnother })
}

const meantAnother = 'Call again with the listed token that was meant, by its symbol, or ask your owner which one is.'

/** Of several calls it matters which of them was short. */
function naming(step: Step | undefined, short: ToolError | null): ToolError | null {
  if (short === null || step === undefined) return short
  const details = short.details.map((detail) => ({ ...detail, step: step.label }))
  return new ToolError(short.code, short.message, { details, suggestion: short.suggestion })
}

function failure(step: Step | undefined, simulated: SimulatedResult | undefined): ToolError {
  const label = step?.label ?? 'a step'
  const reason = revertReason(simulated?.returnData)
  const details = [{ message: reason, step: label, to: step?.to ?? zeroAddress }]
  if (isPastSlippage(reason)) {
    return new ToolError('SIMULATION_DRIFT', `The pool moved past the slippage of "${label}" since it was planned.`, {
      details,
      suggestion:
        'Call again for a fresh plan. Where it fails again, allow more slippage: a token may keep a part of each transfer.',
    })
  }
  return new ToolError('SIMULATION_FAILED', `The transaction would fail: "${label}" ${reason}.`, { details })
}

function uintOf(simulated: SimulatedResult | undefined): bigint | null {
  if (simulated === undefined || !simulated.ok || simulated.returnData.length !== 66) return null
  return hexToBigInt(simulated.returnData)
}
