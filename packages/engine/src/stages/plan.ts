import { formatAmount, getSqrtPriceAtTick, maxAmountsWithSlippage } from '@svc/lp-math'
import { getAddress, size, slice, zeroAddress } from 'viem'
import {
  type Intent,
  type IntentDeposit,
  type Plan,
  type PlannedAmount,
  type PlannedCall,
  type PlannedStep,
  tokenLabel,
  type TokenQuantity,
} from '@svc/amm'
import { isAtDestination, usdText } from '../call/amounts.ts'
import { callsOf } from '../batch/batch-step.ts'
import {
  contractNames,
  type ContractNames,
  describeCalldata,
  type DescribedCall,
} from '../calldata/describe-calldata.ts'
import { amountAtDestination } from './amount-at-destination.ts'
import { expectedGasCost, worstGasCost } from '../spending/gas.ts'
import { shownOf, tokenFacts, shownPlanHash } from '../operations/plan-shown.ts'
import { suspectWarnings, unlistedWarnings } from '../verdict/call-tokens.ts'
import type { Refusal } from '../call/refusal.ts'
import type { Reserved } from './reserve-spend.ts'
import { costWarnings } from '../value/call-value.ts'
import { simulationHash } from '../simulation/asset-changes.ts'
import { usdOf } from '../value/spend-value.ts'
import type { Step } from '../call/step.ts'

/** What a write would do: its transactions decoded, their simulated effect, and everything the policy has to say of it. */
export function planOf(context: Reserved, terms: PlanTerms): Plan {
  const { chain, wallet, intent, steps, simulation, spend, snapshotTaken } = context
  const { refusals, conditions } = terms
  const { name, nativeCurrency } = chain
  const shown = shownOf(context)
  const nameOf = contractNames(chain, wallet)
  const gas = gasOf(context)
  return {
    planId: terms.planId,
    planHash: shownPlanHash(context),
    simulationHash: simulationHash({
      chainId: chain.id,
      wallet,
      block: simulation.blockNumber,
      atSeconds: snapshotTaken.atSeconds,
      steps,
      deltas: simulation.deltas,
    }),
    expiresAt: terms.expiresAt === null ? null : new Date(terms.expiresAt).toISOString(),
    why: intent.why,
    steps: [...steps.flatMap(callsOf).map((step) => describeStep(step, context, nameOf)), ...describeOrder(context)],
    atomicity: intent.atomicity,
    deltas: [...simulation.deltas]
      .filter(([, amount]) => amount !== 0n)
      .map(([token, amount]) =>
        isAtDestination(token)
          ? amountAtDestination(context)
          : describeAmount({ token: getAddress(token), amount }, context),
      ),
    bounds: {
      spendsAtMost: intent.spends.map((spent) => describeAmount(spent, context)),
      receivesAtLeast: intent.receives
        .filter(({ amount }) => amount > 0n)
        .map((received) => describeAmount(received, context))
        .concat(intent.crossChain === undefined ? [] : [amountAtDestination(context)]),
    },
    ...shown,
    // Beside the hash: what the policy lists may change before the plan is carried out.
    warnings: [
      ...suspectWarnings(context),
      ...shown.warnings,
      ...unlistedWarnings(context),
      ...costWarnings(context, gas.gasCostUsd, simulation.deltas),
      ...spendWarnings(context),
      ...boundsWarnings(context),
      ...followWarnings(intent),
    ],
    spendUsd: usdText(spend.amountUsdMicros),
    ...gas,
    chain: { name, nativeSymbol: nativeCurrency.symbol, nativeDecimals: nativeCurrency.decimals },
    policy: {
      allowed: refusals.length === 0,
      verdict: verdictOf(terms),
      checks: {
        tokenAllowlistPassed: context.tokenAllowlistPassed,
        spendingLimitPassed: spend.refusals.length === 0,
        simulationPassed: !refusals.some(({ code }) => code === 'UNSAFE_TRANSACTION'),
      },
      refusals: refusals.map(({ code, message }) => ({ code, message })),
      conditions: conditions.map(({ code, message }) => ({ code, message })),
    },
    blockNumber: `${simulation.blockNumber}`,
  }
}

/** Why `spendUsd` is not what the amounts of the plan come to. */
function spendWarnings({ spend, value, intent: { tools = [], deposits = [] } }: Reserved): readonly string[] {
  const guess =
    'spendUsd: no named source tells what a token is worth, so it counts as the whole limit of one transaction, the gas at worst included, which spendUsd leaves out.'
  const together =
    'All figures are of the operations together, and no sums of theirs: what one brings pays for another. So a token may stand in both bounds: spendsAtMost is all that the deposits may take, also of what comes on the way, receivesAtLeast what is left over at worst.'
  const movesOn = value.simulated.leaves.positions.length > 0 && deposits.length > 0
  const netted =
    tools.length === 0
      ? []
      : [movesOn ? `${together} ${value.ownMove === null ? countsWhole : countsTrades}` : together]
  return [...(spend.isGuess ? [guess] : []), ...netted]
}

const countsTrades = 'spendUsd counts what is traded and added, and not what goes back into its own pool.'
const countsWhole =
  'spendUsd counts whole what is taken out and put in again, as it goes into another pool, or as the batch trades in its own pool in the same transaction. rebalance_position by itself counts what its swap takes alone.'

/** Why bounds and values of a plan do not come to the same. */
function boundsWarnings({ intent, simulation, priced, value }: Reserved): readonly string[] {
  const leastUsd = intent.receives.reduce((sum, { token, amount }) => sum + (usdOf(token, amount, priced) ?? 0), 0)
  // Only what liquidity pays out is the one or the other; fees and what an order has earned come together.
  const { positions, shares } = value.simulated.leaves
  const isOfLiquidity = positions.length + shares.length > 0 && intent.receives.length > 1
  const isEitherOr = isOfLiquidity && leastUsd + 0.01 < Number(value.leastInUsdMicros) / 1e6
  const unnamed = [...simulation.deltas].flatMap(([token, amount]) => {
    const entry = priced.get(token)
    return amount > 0n && entry !== undefined && entry.usd !== null && entry.band === null
      ? [tokenLabel(entry.token)]
      : []
  })
  return [
    ...(isEitherOr ? [eitherOr] : []),
    ...narrowWarnings(intent, priced),
    ...(unnamed.length === 0
      ? []
      : [
          `values count ${unnamed.join(' and ')} as nothing: only pools price it, as usd of deltas does. deltas say what arrives after any fee that a token takes of transfers.`,
        ]),
  ]
}

const eitherOr =
  'receivesAtLeast bounds each token by itself: within slippageBps the price turns one token of a range into the other, so both leasts never come together. arrivesAtWorstUsd is of what comes together.'
const narrowMinima =
  'The least amounts of the deposit lie further below than slippageBps: so much of one token of a narrow range becomes the other where the price moves by that.'

/** By how much amounts of deposits into narrow ranges may be others than planned: v3 has least amounts, v4 most amounts alone. */
function narrowWarnings({ deposits = [], slippageBps, spends }: Intent, priced: Reserved['priced']): readonly string[] {
  return [
    ...new Set(
      deposits.flatMap((deposit) => {
        const bps = deposit.slippageBps ?? slippageBps ?? 0
        if (!isNarrow(deposit, bps)) return []
        if (deposit.version !== 'v4') return [narrowMinima]
        // What takes nothing of the wallet has nothing else to take more of.
        return spends.length === 0 ? [] : [mostText(deposit, bps, priced)]
      }),
    ),
  ]
}

/** Whether the amounts that a range takes move by more than a fiftieth while the price moves by the slippage. */
function isNarrow({ tickLower, tickUpper }: IntentDeposit, bps: number): boolean {
  return tickLower !== null && tickUpper !== null && bps / ((tickUpper - tickLower) / 2) > 0.02
}

/** A v4 deposit fixes the liquidity, and so takes more of one token the further the price moves, and less of the other. */
function mostText(deposit: IntentDeposit, bps: number, priced: Reserved['priced']): string {
  const { tickLower, tickUpper, sqrtPriceX96, liquidity } = deposit
  const range = {
    sqrtPriceAX96: getSqrtPriceAtTick(tickLower ?? 0),
    sqrtPriceBX96: getSqrtPriceAtTick(tickUpper ?? 0),
  }
  const most = maxAmountsWithSlippage({ ...range, sqrtPriceX96, liquidity, slippageBps: Math.floor(bps) })
  const sides = [
    [deposit.token0, deposit.amount0, most.amount0],
    [deposit.token1, deposit.amount1, most.amount1],
  ] as const
  const texts = sides.flatMap(([token, planned, atMost]) => {
    const known = priced.get(token.toLowerCase())?.token
    const permille = planned === 0n ? 0n : ((atMost - planned) * 1_000n + planned - 1n) / planned
    const name = known === undefined ? getAddress(token) : tokenLabel(known)
    return permille <= 0n ? [] : [`up to ${Number(permille) / 10} % more ${name} than given`]
  })
  const takes = texts.length === 0 ? 'a token of which none was given' : texts.join(' or ')
  return `v4 fixes the liquidity: where the price moves by slippageBps before the block, the deposit takes ${takes}, and less of the other token. bounds and spendUsd hold that most; a smaller slippageBps lowers it.`
}

/** Figures of a plan are those of its first intent: what follows is simulated, weighed and counted when its turn comes. */
function followWarnings({ follows = [] }: Intent): readonly string[] {
  if (follows.length === 0) return []
  const what = `${follows.length} more transactions follow, those that why tells of`
  return [`${what}; the figures here are of the first, each is simulated and counted against the limits at its turn.`]
}

export type PlanTerms = {
  readonly planId: string
  /** Unix milliseconds. */
  readonly expiresAt: number | null
  readonly refusals: readonly Refusal[]
  readonly conditions: readonly Refusal[]
  /** What it is stored for: a later `execute_plan`, or what it waits for. */
  readonly waits: 'planned' | 'approval' | 'delay' | 'approval and delay'
}

function gasOf({ chain, simulation, priced, snapshotTaken }: Reserved) {
  const atMost = worstGasCost([...simulation.gasUsed, ...simulation.revokeGasUsed], snapshotTaken.fees)
  return {
    gasEstimate: `${simulation.gasUsed.reduce((sum, gas) => sum + gas, 0n)}`,
    gasCostUsd: usdOf(zeroAddress, expectedGasCost(simulation.gasUsed, snapshotTaken.fees), priced),
    gasCostAtMost: formatAmount(atMost, chain.nativeCurrency.decimals),
    gasCostAtMostUsd: usdOf(zeroAddress, atMost, priced),
  }
}

function verdictOf({ refusals, conditions, waits }: PlanTerms): string {
  const [first] = refusals
  if (first !== undefined) return `execute_plan would refuse this plan as things stand. ${first.message}`
  if (conditions.length === 0) return 'execute_plan carries this plan out.'
  return `${whatNext[waits]} ${conditions.map(({ message }) => message).join(' ')}`
}

const whatNext = {
  planned: 'execute_plan does not sign at once.',
  approval: 'Once a person has approved, execute_plan carries it out.',
  delay: 'It runs by itself when its time has come.',
  'approval and delay': 'Once a person has approved and its time has come, it runs by itself.',
} as const

function describeStep(
  { kind, label, to, valueWei, data }: Step,
  context: Reserved,
  nameOf: ContractNames,
): PlannedStep {
  const selector = size(data) < 4 ? '0x' : slice(data, 0, 4)
  const surface = context.known.surfaces.get(to.toLowerCase())
  const named = surface === 'twammHook' || surface === 'vault' ? surface : null
  const { contract, calls } = describeCalldata(context.chain, { to, data, isToken: kind !== 'call', named })
  return {
    label,
    to,
    valueWei: `${valueWei}`,
    selector,
    contract,
    calls: calls.map((call) => describeCall(call, context, nameOf)),
  }
}

/** What is signed in place of a call, beside the transactions: typed data that whoever fills the order hands in. */
function describeOrder(context: Reserved): readonly PlannedStep[] {
  const { order } = context.intent
  if (order === undefined) return []
  const { reactor, tokenIn, amountIn, tokenOut, startAmountOut, endAmountOut, deadline, nonce, cosigner } = order
  const shown = (token: typeof tokenIn, amount: bigint) => describeAmount({ token, amount }, context)
  const args = {
    swapper: context.wallet,
    recipient: context.wallet,
    tokenIn,
    amountIn: `${amountIn}`,
    tokenOut,
    startAmountOut: `${startAmountOut}`,
    endAmountOut: `${endAmountOut}`,
    deadline: `${deadline}`,
    nonce: `${nonce}`,
    cosigner,
  }
  const amounts = {
    amountIn: shown(tokenIn, amountIn),
    startAmountOut: shown(tokenOut, startAmountOut),
    endAmountOut: shown(tokenOut, endAmountOut),
  }
  const call = { function: 'V2DutchOrder', arguments: args, amounts, contracts: {} }
  return [
    { label: 'sign order', to: reactor, valueWei: '0', selector: '0x', contract: 'the order reactor', calls: [call] },
  ]
}

function describeCall(
  { function: name, arguments: texts, tokens }: DescribedCall,
  context: Reserved,
  nameOf: ContractNames,
): PlannedCall {
  const amounts = Object.entries(tokens).flatMap(([argument, token]) => {
    const text = texts[argument] ?? ''
    // What stands for "everything owed" and the like says so itself and is no amount.
    if (!/^\d+$/.test(text)) return []
    const amount = BigInt(text)
    if (amount >= leastMarker || tokenFacts(token, context) === undefined) return []
    return [[argument, describeAmount({ token, amount }, context)] as const]
  })
  const contracts = Object.entries(texts).flatMap(([argument, text]) => {
    const named = nameOf(text)
    return named === null ? [] : [[argument, named] as const]
  })
  return {
    function: name,
    arguments: texts,
    amounts: Object.fromEntries(amounts),
    contracts: Object.fromEntries(contracts),
  }
}

/** Amounts from here on are no amounts: "all there is" and the like. */
const leastMarker = 1n << 127n

function describeAmount({ token, amount }: TokenQuantity, context: Reserved): PlannedAmount {
  const known = tokenFacts(token, context)
  return {
    token: getAddress(token),
    symbol: known?.symbol ?? 'unknown',
    // Only declared tokens are looked up; what else moves is shown in its smallest units.
    amount: known === undefined ? `${amount}` : formatAmount(amount, known.decimals),
    usd: usdOf(token, amount, context.priced),
    raw: `${amount}`,
    decimals: known?.decimals ?? null,
    isListed: known?.isListed ?? false,
  }
}
