import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { type Intent, ToolError } from '@svc/amm'
import type { Engine, InspectionContext } from './context/engine.ts'
import { worstGasCost, gasWorth } from './spending/gas.ts'
import { isWayHome } from './value/way-home.ts'
import { knownContracts } from './calldata/known-contracts.ts'
import type { Policy } from './policy/policy.ts'
import { policyFor } from './policy/grants.ts'
import { checkPolicy, simulatePlan } from './stages/prepare.ts'
import { tokensToPrice } from './verdict/call-tokens.ts'
import { readBounds } from './calldata/call-bounds.ts'
import { createSimulatorMemory } from './simulation/simulate-with-trace.ts'
import { budgetsOf } from './spending/spend-budgets.ts'
import { createNativePrices, type PricedTokens, priceTokens, valueOfSpend } from './value/spend-value.ts'
import { weighValue } from './stages/reserve-spend.ts'
import type { WeighedIntent } from './value/weighed-report.ts'

/**
 * Looks at an intent as a write does at the newest block: prices, simulation, what leaves and what comes back, what it asks
 * of the budgets. The same stages of the pipeline look at it; nothing is reserved, stored or signed. What keeps it from
 * being weighed is in the answer, with the prices as far as they can be read.
 */
export async function weighIntent(question: WeighedQuestion, ports: WeighingPorts): Promise<WeighedIntent> {
  const context = inspectionContext(question, ports)
  try {
    const checked = await checkPolicy(context)
    const simulated = await simulatePlan(checked)
    const { value, priced, simulation, refusals } = weighValue(simulated)
    const short = refusals.filter((refusal) => !value.refusals.includes(refusal))
    const { chain, intent, engine } = context
    const spend = valueOfSpend(intent, simulation.deltas, priced, value)
    const spendUsdMicros = spend.unpriced.length > 0 ? null : spend.usdMicros
    const asked = { policy: engine.policy, chainId: chain.id, priced, spendUsdMicros: spend.usdMicros }
    const gasUsed = [...simulation.gasUsed, ...simulation.revokeGasUsed]
    return {
      status: 'weighed',
      blockNumber: simulation.blockNumber,
      playedBy: simulation.playedBy,
      priced,
      value,
      isWayHome: isWayHome(value, simulation, checked.snapshotTaken.standing),
      refusals: [...simulated.refusals, ...short],
      budgets: budgetsOf(value, asked),
      spendUsdMicros,
      gasUsdMicros: gasWorth(worstGasCost(gasUsed, checked.snapshotTaken.fees), priced),
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { status: 'failed', code: error.code, message: error.message, priced: await pricesOf(context) }
  }
}

export type WeighedQuestion = {
  /** `null` where it is not known: rules of single tools are then left out. */
  readonly tool: string | null
  readonly principalId: string | null
  readonly intent: Intent
}

export type WeighingPorts = Pick<Engine, 'rpc' | 'tokens' | 'prices' | 'now'> & {
  readonly chain: Chain
  readonly policy: Policy
  readonly wallet: Address
}

function inspectionContext(question: WeighedQuestion, ports: WeighingPorts): InspectionContext {
  const { intent, tool, principalId } = question
  const { chain, rpc, wallet, now } = ports
  const policy = principalId === null ? ports.policy : policyFor(ports.policy, principalId)
  const memories = { simulators: createSimulatorMemory(now), nativePrices: createNativePrices() }
  return {
    intent,
    chain,
    wallet,
    client: rpc.client(chain),
    known: knownContracts(chain, policy),
    engine: { ...ports, policy, ...memories },
    call: { tool: tool ?? '', principal: { id: principalId ?? '' } },
  }
}

async function pricesOf(context: InspectionContext): Promise<PricedTokens | null> {
  const { engine, chain, intent, known } = context
  const tokens = tokensToPrice({ intent, callBounds: readBounds(intent, chain, known).bounds })
  try {
    return await priceTokens(tokens, { ...engine, directory: engine.tokens, chain })
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}
