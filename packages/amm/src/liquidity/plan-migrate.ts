import {
  getAmountsForLiquidity,
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
  invertTicks,
  type TickRange,
} from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { v3PositionManagerAbi } from '../abis/v3.ts'
import type { Intent, TokenQuantity, PositionPermit } from '../intent.ts'
import type {
  AddOutcome,
  LiquidityPlan,
  MigratePreview,
  MigrateRequest,
  Position,
  Pool,
  Token,
  ReadPorts,
} from '../ports.ts'
import { contractRead } from '../rpc/contract-function.ts'
import { readSurely, readQuery } from '../rpc/query.ts'
import { tokenLabel, leastReceipts, routineIntent } from './planning/plan-payment.ts'
import { depositOf } from './planning/deposit/fit-deposit.ts'
import { fitRemoval } from './planning/fit-removal.ts'
import { refuseClosed, refuseTooSmall, requireDeployment } from './planning/refusals.ts'
import { lessSlippage, mostOfMint } from './planning/slippage-limits.ts'
import { mintedTokenId } from './v4/plan-add.ts'
import { readModification } from './v4/read-modification.ts'
import { refuseDeltaHooks } from './v4/pool-key.ts'
import {
  type Address,
  isAddressEqual,
  zeroAddress,
  concatHex,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseSignature,
  stringToHex,
} from 'viem'
import { ToolError } from '../tool-error.ts'
import { poolOf, sortPair, v4PoolQuery } from './pools/pool-state.ts'
import { universalRouterAbi } from './v4/plan-swap.ts'

/**
 * All of a migration but its calls: where the position goes, how much of it, what must come of it, and the right that the universal
 * router is given over the position. Of what v3 pays, the slippage is kept back, so that the new position can still be paid for should
 * the price have moved; what is not needed comes to the wallet.
 *
 * @throws ToolError `MIGRATION_NOT_SUPPORTED`, `HOOK_NOT_SUPPORTED`, `AMOUNT_TOO_SMALL`, `VERSION_NOT_DEPLOYED`, `VALIDATION_FAILED`
 *   for a position that is closed.
 */
export async function planMigrate(
  ports: ReadPorts,
  chain: Chain,
  position: Position,
  request: MigrateRequest,
): Promise<Migration> {
  refuseDeltaHooks(request.hooks, 'outputHooks')
  if (position.liquidity === 0n) throw refuseClosed(position)
  const { positionManager } = requireDeployment(chain, 'v3')
  const { address: router } = requireDeployment(chain, 'universalRouter')
  const { slippageBps, recipient } = request
  const removal = fitRemoval(position, { ...request, percentage: 100, collectFees: true })
  const [target, [nonce]] = await Promise.all([
    migrationTarget(ports, chain, position, request.hooks),
    readSurely(
      ports.rpc.client(chain),
      contractRead(positionManager, v3PositionManagerAbi, 'positions', [BigInt(position.positionId)]),
      position.pool.blockNumber,
    ),
  ])
  const put = depositInto(target, position, slippageBps)
  const { pool, ticks, isInverted } = target
  const { token0: paid0, token1: paid1 } = position.pool
  const preview = { position, pool, ...put.taken }
  return {
    target,
    put: put.given,
    most: leastReceipts([
      { token: isInverted ? paid1 : paid0, amount: put.most.amount0 },
      { token: isInverted ? paid0 : paid1, amount: put.most.amount1 },
    ]),
    least: leastReceipts([
      { token: paid0, amount: removal.least.amount0 },
      { token: paid1, amount: removal.least.amount1 },
    ]),
    preview,
    intentOf: (data, deadline) => {
      const permit = { positionManager, spender: router, tokenId: BigInt(position.positionId), nonce, deadline }
      return routineIntent(chain, {
        calls: [{ to: router, data: withPermit(data, permit), valueWei: 0n, label: 'migrate position' }],
        atomicity: 'single',
        slippageBps,
        deadline,
        recipients: [recipient],
        deposits: [depositOf(pool, { ...ticks, ...put.taken, minLiquidity: put.taken.liquidity, recipient })],
        permit,
        notes: nativeNotes(ports, chain, pool),
        why: `Move v3 position ${position.positionId} into the v4 pool of its pair and fee.`,
      })
    },
    decode: async (settled) => {
      const tokenId = mintedTokenId(settled, chain, {
        pool,
        ...ticks,
        liquidity: put.taken.liquidity,
        owner: recipient,
      })
      const { liquidityDelta, principal } = await readModification(ports, chain, pool, tokenId, settled, {
        isNew: true,
      })
      return { positionId: `${tokenId}`, liquidity: liquidityDelta, ...principal }
    },
  }
}

export type Migration = Omit<LiquidityPlan<MigratePreview, AddOutcome>, 'intent'> & {
  readonly target: MigrationTarget
  /** What may go into the new position, in its pool's order. */
  readonly put: { readonly amount0: bigint; readonly amount1: bigint }
  /** The most that the calldata may let it take, in tokens of the old pool. */
  readonly most: readonly TokenQuantity[]
  /** The least that the old position must pay of its liquidity. */
  readonly least: readonly TokenQuantity[]
  /** The whole around calldata of the universal router, which holds no permit yet. */
  intentOf(data: Intent['calls'][number]['data'], deadline: number): Intent
}

function depositInto({ pool, isInverted, ticks }: MigrationTarget, position: Position, slippageBps: number) {
  const kept = (amount: bigint) => lessSlippage(amount, slippageBps)
  const [first, second] = [kept(position.amount0 + position.fees0), kept(position.amount1 + position.fees1)]
  const given = isInverted ? { amount0: second, amount1: first } : { amount0: first, amount1: second }
  const bounds = {
    sqrtPriceX96: pool.sqrtPriceX96,
    sqrtPriceAX96: getSqrtPriceAtTick(ticks.tickLower),
    sqrtPriceBX96: getSqrtPriceAtTick(ticks.tickUpper),
  }
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = bounds
  const ends = [sqrtPriceAX96, sqrtPriceBX96] as const
  const liquidity = getLiquidityForAmounts(sqrtPriceX96, ...ends, given.amount0, given.amount1)
  if (liquidity === 0n) throw refuseTooSmall('positionId', 'What the position pays makes no liquidity in the v4 pool.')
  const amounts = getAmountsForLiquidity(sqrtPriceX96, ...ends, liquidity, true)
  return {
    given,
    taken: { ...amounts, liquidity },
    most: mostOfMint({ bounds, liquidity, slippageBps, kept: undefined }),
  }
}

/**
 * Where a v3 position goes in v4: the pool of its pair, fee, tick spacing and the hooks asked for, of native currency or its wrapped form
 * whichever is deeper, and its range in that pool's order. It is never created on the way.
 *
 * @throws ToolError `MIGRATION_NOT_SUPPORTED`, `VERSION_NOT_DEPLOYED`.
 */
async function migrationTarget(
  ports: ReadPorts,
  chain: Chain,
  position: Position,
  hooks: Address | null,
): Promise<MigrationTarget> {
  const { pool, tickLower, tickUpper } = position
  const deployment = requireDeployment(chain, 'v4')
  const client = ports.rpc.client(chain)
  const pairs = await pairsOf(ports, chain, pool)
  const found = await Promise.all(
    pairs.map(async (tokens): Promise<Pool | null> => {
      const [{ address: currency0 }, { address: currency1 }] = tokens
      const { fee, tickSpacing } = pool
      const key = { currency0, currency1, fee, tickSpacing: tickSpacing ?? 0, hooks: hooks ?? zeroAddress }
      const state = await readQuery(client, chain, v4PoolQuery(deployment, key), pool.blockNumber)
      return state === null ? null : poolOf(state, tokens, pool.blockNumber)
    }),
  )
  const [deepest] = found
    .filter((one) => one !== null)
    .toSorted((one, other) => (other.liquidity > one.liquidity ? 1 : -1))
  if (deepest === undefined) throw noTarget(chain, pool, hooks)
  const isInverted = isAddressEqual(wrappedOf(ports, chain, deepest.token0), pool.token1.address)
  const ticks = isInverted ? invertTicks({ tickLower, tickUpper }) : { tickLower, tickUpper }
  return { pool: deepest, isInverted, ticks }
}

type MigrationTarget = {
  readonly pool: Pool
  /** Whether its first token is the second of the v3 pool. */
  readonly isInverted: boolean
  readonly ticks: TickRange
}

async function pairsOf(
  ports: ReadPorts,
  chain: Chain,
  { token0, token1 }: Pool,
): Promise<readonly (readonly [Token, Token])[]> {
  const own = [token0, token1] as const
  const other = own.find(({ address }) => !isAddressEqual(address, chain.wrappedNative.address))
  if (own.every(({ address }) => !isAddressEqual(address, chain.wrappedNative.address))) return [own]
  return [own, sortPair(await ports.tokens.byAddress(chain, zeroAddress), other ?? token1)]
}

/** Wrapped native may become the currency itself on the way, which nobody asked for by name. */
function nativeNotes({ tokens }: ReadPorts, chain: Chain, { token0, token1 }: Pool): readonly string[] {
  const native = [token0, token1].find((token) => token.isNative)
  if (native === undefined) return []
  return [
    `The v4 pool is that of native ${tokenLabel(native)}, the deepest of this pair and fee, not one of ${tokenLabel(tokens.wrapped(chain))}: the new position pays out ${tokenLabel(native)}.`,
  ]
}

function wrappedOf({ tokens }: ReadPorts, chain: Chain, token: Token): Address {
  return token.isNative ? tokens.wrapped(chain).address : token.address
}

function noTarget(chain: Chain, { token0, token1, fee }: Pool, hooks: Address | null): ToolError {
  const which = hooks === null ? 'without hooks' : 'with these hooks'
  const message = `There is no v4 pool ${which} on ${chain.name} for this pair with a fee of ${fee}.`
  return new ToolError('MIGRATION_NOT_SUPPORTED', message, {
    details: [{ message, token0: token0.address, token1: token1.address, fee }],
  })
}

/** Puts a permit, still unsigned, before the commands that a call of the universal router holds already. */
export function withPermit(data: Hex, { spender, tokenId, deadline }: PositionPermit): Hex {
  const [commands, inputs, callDeadline] = decodeFunctionData({ abi: universalRouterAbi, data }).args
  const args = [spender, tokenId, BigInt(deadline), unsigned.v, unsigned.r, unsigned.s] as const
  const permit = encodeFunctionData({ abi: positionPermitAbi, functionName: 'permit', args })
  return encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [concatHex([permitCommand, commands]), [permit, ...inputs], callDeadline],
  })
}

/** Whether calldata keeps a place for a signature. */
export function isUnsigned(data: Hex): boolean {
  return data.includes(words(unsigned).slice(2))
}

/** Calldata with the signature in the place that was kept for it. Throws `TypeError` where there is not exactly one. */
export function withSignature(data: Hex, signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  const [before, after, ...others] = data.split(words(unsigned).slice(2))
  if (before === undefined || after === undefined || others.length > 0) throw new TypeError('no place for a signature')
  return `0x${before.slice(2)}${words({ v: 27 + yParity, r, s }).slice(2)}${after}`
}

/** Stands where the signature will be, and can be taken for none. */
export const unsigned: VRS = {
  v: 27,
  r: keccak256(stringToHex('position permit, not signed: r')),
  s: keccak256(stringToHex('position permit, not signed: s')),
}

/** ERC721Permit of v3-periphery, which the universal router takes as a command. */
export const positionPermitAbi = parseAbi([
  'function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
])

type VRS = { readonly v: number; readonly r: Hex; readonly s: Hex }

/**
 * V3_POSITION_MANAGER_PERMIT of `Commands`, which may fail: who hands in the signature first, read off the transaction that is out, has
 * given the same right. Where it is not given, the next command fails.
 */
const permitCommand = '0x91'

function words({ v, r, s }: VRS): Hex {
  return concatHex([numberToHex(v, { size: 32 }), r, s])
}
