import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex, isAddressEqual, type Log, parseEventLogs } from 'viem'
import { v3PositionManagerAbi, v3PoolAbi } from '../abis/v3.ts'
import type { Intent, IntentCall, SettledTransaction } from '../intent.ts'
import type { Position, CollectOutcome, Liquidity, PlanPorts } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { requireDeployment } from './planning/refusals.ts'
import { routineIntent } from './planning/plan-payment.ts'
import { encodeCollect } from './v3/plan-remove.ts'
import { encodeModifyLiquidities, v4Action } from './v4/v4-action.ts'
import { refuseDeltaHooks } from './v4/pool-key.ts'
import type { Amounts } from '@svc/lp-math'
import { v4PoolManagerAbi } from '../abis/v4.ts'
import { readPaidFees } from './v4/read-modification.ts'

/**
 * Plans to collect what positions of one version are owed in one transaction: a `multicall` of v3's position manager, or one
 * `modifyLiquidities` of v4's that takes each currency once for all of them. The listed tokens are named, so that they are priced, and
 * nothing is declared to arrive at least: with fifty positions in one transaction, one that was collected meanwhile or whose
 * token keeps a part must not hold up the others, and whatever arrives was the owner's.
 *
 * @throws ToolError `HOOK_NOT_SUPPORTED`, `VERSION_NOT_DEPLOYED`. TypeError for no position, or positions of both versions.
 */
export function planCollectAll(chain: Chain, positions: readonly Position[], request: CollectAllRequest): Intent {
  const [first] = positions
  if (first === undefined || positions.some(({ version }) => version !== first.version)) {
    throw new TypeError('positions of one version are collected together, at least one')
  }
  const { version } = first
  const call = { v3: collectV3, v4: collectV4 }[version](chain, positions, request)
  const named =
    positions.length === 1 ? `${version} position ${first.positionId}` : `${positions.length} ${version} positions`
  return {
    ...routineIntent(chain, {
      calls: [call],
      atomicity: ({ v3: 'multicall', v4: 'single' } as const)[version],
      receives: currenciesOf(positions, ({ listed }) => listed).map((token) => ({ token, amount: 0n })),
      slippageBps: null,
      deadline: { v3: null, v4: request.deadline }[version],
      recipients: [request.recipient],
      why: `Collect the fees of ${named}.`,
    }),
    riskTier: 'standard',
    collects: positions.map(({ positionId }) => `${version} ${positionId}`),
  }
}

export type CollectAllRequest = { readonly deadline: number; readonly recipient: Address }

function collectV3(chain: Chain, positions: readonly Position[], { recipient }: CollectAllRequest): IntentCall {
  const { positionManager } = requireDeployment(chain, 'v3')
  const steps = positions.map((position) => encodeCollect(position, recipient))
  return callOf(
    positionManager,
    encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [steps] }),
  )
}

function collectV4(chain: Chain, positions: readonly Position[], request: CollectAllRequest): IntentCall {
  const { positionManager } = requireDeployment(chain, 'v4')
  for (const { pool } of positions) refuseDeltaHooks(pool.hooks, 'positionIds')
  const nothing = { amount0: 0n, amount1: 0n }
  const steps = [
    ...positions.map(({ positionId }) => v4Action.decrease(BigInt(positionId), 0n, nothing)),
    ...currenciesOf(positions, () => true).map((currency) => v4Action.takeAllTo(currency, request.recipient)),
  ]
  return callOf(positionManager, encodeModifyLiquidities(steps, request.deadline))
}

function callOf(to: Address, data: Hex): IntentCall {
  return { to, data, valueWei: 0n, label: 'collect fees' }
}

/** Each token of the positions once. */
function currenciesOf(
  positions: readonly Position[],
  isWanted: (token: Position['pool']['token0']) => boolean,
): readonly Address[] {
  const tokens = positions.flatMap(({ pool }) => [pool.token0, pool.token1]).filter(isWanted)
  return [...new Map(tokens.map(({ address }) => [address.toLowerCase(), address])).values()]
}

/**
 * Why positions cannot be collected, each asked alone as its owner would; `null` for one that can. So one token that refuses to
 * move, or a hook that may change amounts, is known before it spoils the transaction of the others.
 *
 * @throws ToolError `RPC_*`, `VERSION_NOT_DEPLOYED`
 */
export function collectRefusals(
  ports: { readonly rpc: { client(chain: Chain): CallingClient } },
  chain: Chain,
  positions: readonly Position[],
  deadline: number,
): Promise<readonly (ToolError | null)[]> {
  const client = ports.rpc.client(chain)
  return Promise.all(
    positions.map(async (position) => {
      try {
        const { calls } = planCollectAll(chain, [position], { deadline, recipient: position.owner })
        await Promise.all(calls.map(({ to, data }) => client.call({ account: position.owner, to, data })))
        return null
      } catch (error) {
        if (error instanceof ToolError) {
          if (error.code === 'HOOK_NOT_SUPPORTED') return error
          throw error
        }
        return new ToolError(
          'SIMULATION_FAILED',
          'The position pays nothing out: its pool or one of its tokens refuses.',
          {
            cause: error,
          },
        )
      }
    }),
  )
}

type CallingClient = {
  call(request: { readonly account: Address; readonly to: Address; readonly data: Hex }): Promise<unknown>
}

/**
 * What the collections of one mined transaction paid, position by position in the order in which they were made, from its logs alone:
 * so the same reading serves a call that has just made them and one that goes on after a crash.
 *
 * @throws ToolError `RPC_*`
 */
export async function collectedIn(
  ports: Pick<PlanPorts, 'rpc'> & { readonly position: Liquidity['position'] },
  chain: Chain,
  mined: MinedCollections,
): Promise<readonly Collected[]> {
  const [v3, v4] = await Promise.all([collectedV3(ports, chain, mined), collectedV4(ports, chain, mined)])
  return [...v3, ...v4]
}

export type MinedCollections = Pick<SettledTransaction, 'logs' | 'blockNumber'>

/** In the pool's order. */
export type Collected = CollectOutcome & { readonly position: Position }

type Ports = Parameters<typeof collectedIn>[0]

async function collectedV3(ports: Ports, chain: Chain, { logs }: MinedCollections): Promise<readonly Collected[]> {
  const manager = chain.amm.v3?.positionManager
  if (manager === undefined) return []
  return Promise.all(
    paidByPools(logs, manager).map(async ({ tokenId, amount0, amount1 }) => ({
      position: await ports.position(chain, 'v3', `${tokenId}`),
      fees0: amount0,
      fees1: amount1,
    })),
  )
}

/**
 * The manager's own log says what it asked for, which can be a few units more than the pool paid. The pool's log comes just before
 * it; two positions of one range differ by nothing else.
 */
function paidByPools(logs: readonly Log[], manager: Hex): readonly (Amounts & { readonly tokenId: bigint })[] {
  const fromPools = parseEventLogs({ abi: v3PoolAbi, eventName: 'Collect', logs: [...logs] }).filter(({ args }) =>
    isAddressEqual(args.owner, manager),
  )
  const asked = parseEventLogs({ abi: v3PositionManagerAbi, eventName: 'Collect', logs: [...logs] }).filter(
    ({ address }) => isAddressEqual(address, manager),
  )
  return asked.flatMap(({ args: { tokenId }, logIndex }) => {
    const paid = fromPools.findLast((log) => log.logIndex < logIndex)
    return paid === undefined ? [] : [{ tokenId, amount0: paid.args.amount0, amount1: paid.args.amount1 }]
  })
}

/** A change of no liquidity by the position manager is a collection. */
async function collectedV4(
  ports: Ports,
  chain: Chain,
  { logs, blockNumber }: MinedCollections,
): Promise<readonly Collected[]> {
  const deployed = chain.amm.v4
  if (deployed === undefined) return []
  const { poolManager, positionManager } = deployed
  const events = parseEventLogs({ abi: v4PoolManagerAbi, eventName: 'ModifyLiquidity', logs: [...logs] }).filter(
    ({ address, args }) =>
      isAddressEqual(address, poolManager) &&
      isAddressEqual(args.sender, positionManager) &&
      args.liquidityDelta === 0n,
  )
  return Promise.all(
    events.map(async ({ args: { tickLower, tickUpper, salt } }) => {
      const position = await ports.position(chain, 'v4', `${BigInt(salt)}`)
      const change = { pool: position.pool, tickLower, tickUpper, salt, blockNumber }
      const { amount0, amount1 } = await readPaidFees(ports, chain, change)
      return { position, fees0: amount0, fees1: amount1 }
    }),
  )
}
