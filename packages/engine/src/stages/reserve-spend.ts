import { checkGasCap, gasWorth, worstGasCost } from '../spending/gas.ts'
import { budgetsOf, budgetNames } from '../spending/budgets.ts'
import { mayBeLifted } from '../spending/limit-refusal.ts'
import { limitSpend, type SpendDecision } from '../spending/spend-limit.ts'
import { usdText } from '../call/amounts.ts'
import type { ErrorDetail, Intent } from '@svc/amm'
import { spentAmounts, valueOfSpend } from '../value/spend-value.ts'
import { onStorage, type Refusal } from '../call/refusal.ts'
import { isWayHome } from '../value/way-home.ts'
import type { ValueWeighed } from './weigh-value.ts'
import { settleHeld } from './settle-held.ts'
import { settledDepth } from '../call/chain-snapshot.ts'
import { zeroAddress } from 'viem'
import type { Chain } from '@svc/wallet/core'

/**
 * Takes what the intent spends out of the limits, what its gas could cost at worst, that of taking allowances back
 * included, and what it may lose out of the budgets of value, in one serialised commit; a dry run asks only.
 */
export async function reserveSpend(weighed: ValueWeighed): Promise<Reserved> {
  const { engine, call, chain, intent, simulation, priced, value, reservationId } = weighed
  const { requestId, principal, dryRun } = call
  const { fees, standing } = weighed.snapshotTaken
  const isExit = isWayHome(value, simulation, standing)
  const gasUsed = [...simulation.gasUsed, ...simulation.revokeGasUsed]
  const gasWei = worstGasCost(gasUsed, fees)
  const gas = checkGasCap(engine.policy, gasUsed, fees, priced, value.isExit)
  const spent = valueOfSpend(intent, simulation.deltas, priced, value)
  const leaving = spentAmounts(intent, simulation.deltas)
  const asked = {
    ...engine,
    principal: principal.id,
    chainId: chain.id,
    requestId,
    reservationId,
    value: spent,
    leaving,
    amounts: [...(value.simulated.leaves.positions.length > 0 ? [] : leaving)].flatMap(([key, amount]) => {
      const token = priced.get(key)?.token
      return token === undefined ? [] : [{ token, amount: givenOf(key, intent, chain) ?? amount }]
    }),
    budgets: budgetsOf(value, { ...engine, chainId: chain.id, priced, spendUsdMicros: spent.usdMicros }),
    isExit,
    homeUsdMicros: value.homeUsdMicros,
    isSureHome: value.isSureHome,
    gasWei,
    gasUsdMicros: gasWorth(gasWei, priced),
    dryRun: dryRun || gas.length > 0,
  }
  const take = () => onStorage('the spend ledger cannot be written', () => limitSpend(asked))
  const first = await take()
  const spend = mayBeLifted(first.refusals) && (await fellMeanwhile(weighed)) ? await take() : first
  if (spend.reserved && spend.used !== null) {
    const sumUsdMicros = spend.used.daily + spend.amountUsdMicros + spend.gasUsdMicros
    await engine.dailyAlert.look({ sumUsdMicros, policy: engine.policy, requestId })
  }
  return { ...weighed, spend, refusals: [...(await reportHeld(weighed, spend.refusals)), ...gas] }
}

/**
 * What the caller gave of a token that a deposit takes: in v4 it may take more than that within the slippage, which is what counts, but the
 * amount given is what the caller lowers. `null` where something else takes it too.
 */
function givenOf(key: string, { deposits = [], tools }: Intent, { wrappedNative }: Chain): bigint | null {
  const [deposit, ...others] = deposits
  if (deposit === undefined || others.length > 0 || tools !== undefined) return null
  const { token0, token1, amount0, amount1 } = deposit
  const sides = new Map([
    [token0.toLowerCase(), amount0],
    [token1.toLowerCase(), amount1],
  ])
  return sides.get(key) ?? (key === zeroAddress ? sides.get(wrappedNative.address.toLowerCase()) : undefined) ?? null
}

/** Before a call is refused: whether something that earlier ones held has fallen to what they spent. What cannot be read falls later. */
async function fellMeanwhile(weighed: ValueWeighed): Promise<boolean> {
  try {
    return await settleHeld(weighed)
  } catch (error) {
    weighed.engine.log.warn('settle.held', { requestId: weighed.call.requestId, error })
    return false
  }
}

/** Where more would fit once blocks are deep, says so. */
async function reportHeld({ engine, chain }: ValueWeighed, refusals: readonly Refusal[]): Promise<readonly Refusal[]> {
  if (refusals.length === 0) return refusals
  const held = await onStorage('the spend ledger cannot be read', () => engine.ledger.held(chain.id))
  const heldUsd = Number(usdText(held.reduce((sum, { heldUsdMicros }) => sum + heldUsdMicros, 0n)))
  const wouldFit = ({ limit, usedUsd, askedUsd, capUsd }: ErrorDetail) =>
    limit === 'perSession' || limit === 'daily' || limit === 'principalDaily'
      ? Number(usedUsd) + Number(askedUsd) - heldUsd <= Number(capUsd)
      : limit === budgetNames.loss
  const isHeld = ({ details = [] }: Refusal) => held.length > 0 && details.some(wouldFit)
  return refusals.map((one) => (isHeld(one) ? { ...one, message: `${one.message} ${heldText(chain)}` } : one))
}

function heldText(chain: Chain): string {
  return `Earlier calls count as much as they might have spent or lost until their transactions are ${settledDepth(chain) + 1} blocks deep; what they did not is free again then.`
}

export type Reserved = ValueWeighed & { readonly spend: SpendDecision }
