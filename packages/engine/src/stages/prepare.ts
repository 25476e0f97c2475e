import { type Address, isAddressEqual, type PublicClient } from 'viem'
import { isUnsigned } from '@svc/amm/liquidity'
import { type BlockTime, type IntentCall, isBatch, type Token, type Intent, ToolError } from '@svc/amm'
import { type Allowance, allowancesOf, approvalSteps, revokeStep, type Step } from '../call/step.ts'
import { type AtomicRoute, atWhoseGas, readAtomicRoute, routeQuestion, routeRefusals } from '../batch/atomic-route.ts'
import { batchStep, operationStep, simulateBatch, simulateBeside } from '../batch/batch-step.ts'
import { assertDeclared, type DeclaredContext } from '../verdict/assert-declared.ts'
import { sumByToken } from '../call/amounts.ts'
import { calledContracts } from '../calldata/known-contracts.ts'
import { expectedTokens, type PolicyVerdict, policyVerdict } from '../verdict/policy-verdict.ts'
import { destinationRefusals } from '../verdict/intent-refusals.ts'
import {
  adviceAgainst,
  policyTokensBeside,
  measuredTokens,
  tokensGivenUp,
  tokensToPrice,
} from '../verdict/call-tokens.ts'
import type { InspectionContext, ExecutionContext } from '../context/engine.ts'
import { mayBringHome } from '../value/way-home.ts'
import { type CallBounds, readBounds } from '../calldata/call-bounds.ts'
import { boughtIn } from '../value/moved.ts'
import {
  askFeesAhead,
  type FeesAhead,
  newPositionRefusals,
  type SettledFees,
  settledFees,
} from '../value/settled-fees.ts'
import { vaultDepositsOf } from '../simulation/inspect-vaults.ts'
import { inspectionOf, poolsToInspect } from '../simulation/inspection.ts'
import { grantRefusals } from '../policy/grants.ts'
import type { Policy } from '../policy/policy.ts'
import type { Refusal } from '../call/refusal.ts'
import { orderFunds, withOrder } from './order-in-plan.ts'
import { simulate, type Simulation, type SimulationRequest } from '../simulation/simulation.ts'
import { withOwed, withDestinationPrice } from '../value/destination-price.ts'
import { type PricedTokens, priceTokens } from '../value/spend-value.ts'
import { type ChainSnapshot, nextBlockSeconds, readSettledBalance, snapshot } from '../call/chain-snapshot.ts'
import { callAnswer } from '@svc/amm/rpc'

/** Reads the chain (its id checked) and holds the intent against the policy. */
export async function checkPolicy<Own extends InspectionContext>(context: Own): Promise<Checked<Own>> {
  const { engine, chain, client, wallet, intent, known } = context
  const allowances = allowancesOf(intent.approvals, chain.permit2)
  const read = readBounds(intent, chain, known)
  const foreseen = foresee({ ...context, allowances, callBounds: read.bounds })
  const taken = await snapshot({ ...engine, client, chain, wallet, allowances })
  const route = isBatch(intent) ? await readAtomicRoute(routeQuestion(context)) : null
  const snapshotTaken = atWhoseGas(route, taken)
  const nowSeconds = snapshotTaken.atSeconds
  const verdict = policyVerdict(intent, { chain, policy: engine.policy, known, wallet, nowSeconds })
  const granted = refuseUngranted(context)
  const atomic = route === null ? [] : routeRefusals(route, intent)
  const refusals = [...granted, ...verdict.refusals, ...destinationRefusals(context), ...read.refusals, ...atomic]
  return { ...context, allowances, snapshotTaken, ...verdict, callBounds: read.bounds, route, foreseen, refusals }
}

/** A batch makes for its caller no operation whose own tool the policy does not grant. */
export function refuseUngranted({
  call,
  intent,
  engine,
}: Pick<InspectionContext, 'call' | 'intent' | 'engine'>): readonly Refusal[] {
  return [call.tool, ...(intent.tools ?? [])].flatMap((tool) => grantRefusals(tool, call.principal.id, engine.policy))
}

export type Checked<Own extends InspectionContext = ExecutionContext> = Own &
  PolicyVerdict & {
    readonly allowances: readonly Allowance[]
    readonly snapshotTaken: ChainSnapshot
    /** In the order of the calls. */
    readonly callBounds: readonly CallBounds[]
    /** How a batch is carried out; `null` for whatever is none. */
    readonly route: AtomicRoute | null
    /** Simulated beside the snapshot, on what it was thought to say. */
    readonly foreseen: Foreseen | null
  }

type Foreseen = {
  readonly base: SimulationBase
  /** `null` of a batch: what it is made of depends on what the wallet is delegated to. */
  readonly simulation: Promise<Simulation> | null
  readonly priced: Promise<PricedTokens>
  readonly fees: FeesAhead | null
  readonly newPositions: Promise<readonly Refusal[]>
  readonly settledWei: Promise<bigint | null>
}

/**
 * Simulates beside the snapshot what is simulated after it where the newest block is still the one that planning has read, a moment ago,
 * and no allowance stands: then it is the very same question, and its answer is taken. Else, and where it fails, it is asked again. So
 * it is with prices and settled fees, whatever stands.
 */
function foresee(context: Foreseeing): Foreseen | null {
  const { engine, chain, allowances, intent } = context
  const block = engine.rpc.lastHead?.(chain) ?? null
  if (block === null) return null
  const atSeconds = nextBlockSeconds(block, engine.now())
  const base = { block, atSeconds, balanceWei: 0n, standing: allowances.map(() => 0n) }
  const simulation = isBatch(intent)
    ? null
    : (async () => play({ ...context, route: null }, stepsOf(context, base), base))()
  const priced = pricesAt(context, block)
  for (const asked of [simulation, priced]) asked?.catch(() => undefined)
  return {
    base,
    simulation,
    priced,
    fees: feesAhead(context, block),
    newPositions: newPositionRefusals(context, block, engine.now()),
    settledWei: readSettledBalance(context, block.number),
  }
}

type Foreseeing = InspectionContext & Pick<Checked<InspectionContext>, 'allowances' | 'callBounds'>

/** As foreseen where the snapshot says what was thought. */
async function simulated(checked: Checked<InspectionContext>, steps: readonly Step[]): Promise<Simulation> {
  const { snapshotTaken } = checked
  const { atSeconds, standing } = snapshotTaken
  const foreseen = foreseenOf(checked)
  // What was thought of allowances is that none stands.
  const isSame = foreseen?.base.atSeconds === atSeconds && standing.every((amount) => amount === 0n)
  const known = isSame ? await foreseen.simulation?.catch(() => null) : null
  return known ?? play(checked, steps, snapshotTaken)
}

/** Where the newest block is the one that was thought of. */
function foreseenOf({ foreseen, snapshotTaken: { block } }: Checked<InspectionContext>): Foreseen | null {
  return foreseen?.base.block.hash === block.hash ? foreseen : null
}

/** As foreseen, or asked now. */
async function pricesOf(checked: Checked<InspectionContext>): Promise<PricedTokens> {
  const known = await foreseenOf(checked)?.priced.catch(() => null)
  return known ?? pricesAt(checked, checked.snapshotTaken.block)
}

async function pricesAt(context: Foreseeing, at: BlockTime, tokens = tokensToPrice(context)): Promise<PricedTokens> {
  const { engine, chain } = context
  const own = priceTokens(tokens, {
    ...engine,
    directory: engine.tokens,
    chain,
    at,
    bought: boughtIn(context.callBounds),
  })
  return withDestinationPrice(own, context)
}

function feesAhead(context: Foreseeing, { number }: Pick<BlockTime, 'number'>): FeesAhead | null {
  return askFeesAhead(context, calledContracts(context.intent, context.known).positions, number)
}

/** Puts the approvals around the calls, plays the whole at one block, and looks meanwhile at prices and at what the intent rests on. */
export async function simulatePlan<Own extends InspectionContext>(checked: Checked<Own>): Promise<Simulated<Own>> {
  const { engine, chain, intent, snapshotTaken } = checked
  const { block } = snapshotTaken
  const steps = asBatch(checked, stepsOf(checked, snapshotTaken))
  const foreseen = foreseenOf(checked)
  const ahead = (foreseen ?? { fees: feesAhead(checked, block) }).fees
  const [simulation, named, tooNew, settledWei, policyTokens, short] = await Promise.all([
    simulated(checked, steps),
    pricesOf(checked),
    foreseen?.newPositions ?? newPositionRefusals(checked, block, engine.now()),
    foreseen?.settledWei ?? readSettledBalance(checked, block.number),
    policyTokensBeside(tokensToPrice(checked), checked),
    orderFunds(checked),
    requireUnchanged(intent, checked.client),
  ])
  const others = tokensGivenUp(simulation, chain).filter((token) => !named.has(token.toLowerCase()))
  const priced = others.length === 0 ? named : new Map([...named, ...(await pricesAt(checked, block, others))])
  const refusals = [
    ...checkMeasured(simulation, engine.policy),
    ...assertDeclared(intent, simulation, declaredContext(checked)),
    ...tooNew,
    ...short,
  ]
  const fees = await settledFees(checked, simulation, ahead)
  return { ...checked, steps, simulation, priced, policyTokens, refusals, settledFees: fees, settledWei }
}

/** The approvals that are needed where so much stands, and the calls. */
function stepsOf(
  { chain, intent }: Pick<InspectionContext, 'chain' | 'intent'>,
  { standing, atSeconds }: Pick<SimulationBase, 'standing' | 'atSeconds'>,
): readonly Step[] {
  const expiresAtSeconds = atSeconds + permit2LifetimeSeconds
  const isAnew = intent.order !== undefined
  const approvals = approvalSteps(intent.approvals, standing, { permit2: chain.permit2, expiresAtSeconds, isAnew })
  return [...approvals, ...intent.calls.map(callStep)]
}

function callStep(call: IntentCall): Step {
  return { kind: 'call', ...call }
}

/** One transaction with all of it in, and what takes its allowances back; without a route to one the steps as they are, for a dry run to show. */
function asBatch(checked: Checked<InspectionContext>, steps: readonly Step[]): readonly Step[] {
  const { route, wallet, allowances, engine, chain, intent, snapshotTaken } = checked
  if (route === null || route.refusal !== null) return steps
  const calls = [...steps, ...allowances.map(revokeStep)]
  if (route.by === 'batch-7702') return [batchStep(wallet, route.delegate, calls)]
  const operations = engine.userOperations?.(chain)
  const facts = { operations, chain, wallet, deadline: intent.deadline, atSeconds: snapshotTaken.atSeconds }
  return [operationStep(facts, route.delegate, calls)]
}

export type Simulated<Own extends InspectionContext = ExecutionContext> = Checked<Own> & {
  readonly steps: readonly Step[]
  readonly simulation: Simulation
  readonly priced: PricedTokens
  /** Those that the policy lists beside the chain's own, where the intent names others; `null` where they could not be read. */
  readonly policyTokens: readonly Token[] | null
  /** Fees of its positions that the newest blocks did not bring; `undefined` where nothing can leave. */
  readonly settledFees: SettledFees | undefined
  /** Native currency that the wallet had before the newest blocks; `null` where the endpoint does not say. */
  readonly settledWei: bigint | null
}

/** What a simulation is held against beside the intent. */
export function declaredContext(checked: Checked<InspectionContext>): DeclaredContext {
  const { engine, chain, known, wallet, intent, allowances } = checked
  return {
    permit2: chain.permit2,
    positionManagers: known.positionManagers,
    allowances,
    isStrict: engine.policy.allowlist.mode === 'strict',
    expected: expectedTokens(intent, chain, known),
    removesLiquidity: calledContracts(intent, known).removesLiquidity,
    mayBringHome: () => mayBringHome(checked),
    isWallet: (address) => isAddressEqual(address, wallet),
  }
}

/** Simulates steps from the state of a snapshot of the chain, with the reads and the revocations that follow them. */
export function play(
  context: Foreseeing & Pick<Checked<InspectionContext>, 'route'>,
  steps: readonly Step[],
  snapshotTaken: SimulationBase,
): Promise<Simulation> {
  const { engine, client, chain, wallet, intent, known, allowances, route } = context
  const called = calledContracts(intent, known)
  const tokens = measuredTokens(context)
  const tokenOf = (token: Address) => engine.tokens.byAddress(chain, token)
  const policyTokensOf = () => engine.tokens.listedByPolicy(chain)
  const request: SimulationRequest = {
    client,
    chainId: chain.id,
    memory: engine.simulators,
    wallet,
    wrappedNative: chain.wrappedNative.address,
    steps,
    allowances,
    revokes: allowances.map(revokeStep),
    spends: sumByToken(intent.spends),
    funds: {
      ...snapshotTaken,
      tokenOf,
      warnings: () => adviceAgainst(tokens, { chain, known, tokenOf, policyTokensOf }),
    },
    tokens,
    ...called,
    inspection: inspectionOf(chain, {
      positions: called.positions,
      pools: poolsToInspect(context.callBounds, intent),
      orders: context.callBounds.flatMap(({ orders }) => orders),
      vaultDeposits: vaultDepositsOf(context.callBounds, intent),
      wallet,
    }),
    block: snapshotTaken.block,
    atSeconds: snapshotTaken.atSeconds,
    isUnsigned: intent.permit !== undefined && steps.some(({ data }) => isUnsigned(data)),
  }
  const [step] = steps
  if (step?.batch === undefined) {
    const apart = intent.apart?.map(callStep)
    return apart === undefined
      ? simulate(request)
          .then((simulation) => withOrder(simulation, context))
          .then((simulation) => ({ ...simulation, deltas: withOwed(simulation.deltas, intent.crossChain) }))
      : simulateBeside(request, apart)
  }
  return simulateBatch(request, { ...step, batch: step.batch }, route?.refusal === null && route.isDelegated)
}

/** What of a snapshot a simulation rests on. */
type SimulationBase = Pick<ChainSnapshot, 'block' | 'atSeconds' | 'balanceWei' | 'standing'>

/**
 * A simulation that cannot see what leaves undeclared is none under a strict allowlist. Under a lenient one the call goes
 * on, counted by what it declares and approves in full; the audit line of each transaction says how it was simulated.
 */
export function checkMeasured({ playedBy }: Simulation, { allowlist }: Policy): readonly Refusal[] {
  if (playedBy === 'eth_simulateV1' || allowlist.mode === 'lenient') return []
  const message = 'The endpoint cannot show everything that would leave the wallet (eth_simulateV1).'
  return [{ code: 'SIMULATION_UNAVAILABLE', message }]
}

/** Well under the half hour a Permit2 allowance may live, counted from the next block. */
const permit2LifetimeSeconds = 20 * 60

/**
 * Asks the chain again for what a plan rests on. Writes of a wallet run one after the other, so whatever an earlier one
 * did shows here, before anything is signed. Throws `SIMULATION_DRIFT` and `RPC_*`.
 */
export async function requireUnchanged({ restsOn = [] }: Intent, client: PublicClient): Promise<void> {
  const now = await Promise.all(restsOn.map((read) => callAnswer(client, read)))
  const changed = restsOn.filter(({ answer }, index) => now[index]?.toLowerCase() !== answer.toLowerCase())
  if (changed.length === 0) return
  const message = 'What the call was planned on has changed meanwhile. Nothing was signed.'
  throw new ToolError('SIMULATION_DRIFT', message, {
    details: changed.map(({ to }) => ({ message: 'the contract answers otherwise now', contract: to })),
  })
}
