import type { Chain } from '@svc/wallet/core'
import {
  encodeAbiParameters,
  encodeFunctionData,
  parseAbiParameters,
  type Hex,
  parseAbi,
  type Address,
  isAddressEqual,
  concatHex,
  decodeFunctionData,
  zeroAddress,
} from 'viem'
import type * as z from 'zod'
import { buildClaim, buildDecrease, buildDeposit, type BuiltCall, type CallTerms, nativeOf } from './build-call.ts'
import {
  claimBody,
  claimRewardsBody,
  createBody,
  decreaseBody,
  increaseBody,
  migrateBody,
  quoteBody,
  swapBody,
  type ClaimRewardsBody,
  type MigrateBody,
} from './requests.ts'
import { buildSwap, quoteSwap } from './build-swap.ts'
import type { Sdks } from './sdks.ts'
import { thief } from './trading-tricks.ts'
import { connect } from '../chain/chain-client.ts'
import { readEarnings, type RewardLeaf, rewardTree } from '../rewards/reward-tree.ts'
import type { Token } from '@uniswap/sdk-core'

/** The routes of the trading API that the stand-in answers. */
export const operations: Readonly<Record<string, Operation>> = {
  'POST /v1/lp/claim': operation({
    member: 'claim',
    form: claimBody,
    build: ({ sdks, chain }, body, terms) => buildClaim(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/lp/decrease': operation({
    member: 'decrease',
    form: decreaseBody,
    build: ({ sdks, chain }, body, terms) => buildDecrease(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/lp/create': operation({
    member: 'create',
    form: createBody,
    build: ({ sdks, chain }, body, terms) => buildDeposit(sdks, chain, body, terms),
    givesAway: allToo,
  }),
  'POST /v1/lp/increase': operation({
    member: 'increase',
    form: increaseBody,
    build: ({ sdks, chain }, body, terms) => buildDeposit(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/quote': operation({
    member: 'quote',
    form: quoteBody,
    build: async ({ chain, rpcUrl }, body, { isStale }) => {
      const offered = await quoteSwap(chain, rpcUrl, body, isStale)
      return offered === null ? null : { offered }
    },
    givesAway: (data) => data,
  }),
  'POST /v1/swap': operation({
    member: 'swap',
    form: swapBody,
    build: ({ sdks, chain }, body, terms) => buildSwap(sdks, chain, body, terms),
    givesAway: allowanceToo,
  }),
  'POST /v1/lp/migrate': operation({
    member: 'migrate',
    form: migrateBody,
    build: ({ sdks, chain }, body, terms) => buildMigrate(sdks, chain, body, terms),
    givesAway: (data, { tokenId }) => permitToo(data, tokenId, thief),
  }),
  'POST /v1/lp/claim_rewards': operation({
    member: 'claim',
    form: claimRewardsBody,
    build: ({ chain, rpcUrl }, body, terms) => buildClaimRewards(chain, rpcUrl, body, terms),
    givesAway: (_data, { walletAddress }) => operatorData(walletAddress, thief),
  }),
}

export type Operation = {
  /** Of the answer: holds the transaction. */
  readonly member: string
  readonly read: (content: unknown) => AskedCall | { readonly problem: string }
}

/** What transactions are built with. */
export type BuildingFor = {
  readonly sdks: Sdks
  readonly chain: Chain
  /** Of the chain; `null` where it is not read. */
  readonly rpcUrl: string | null
}

/** A quote is no transaction yet. */
type Built = BuiltCall | { readonly offered: object }

type AskedCall = {
  readonly body: Asked
  /** `null` where there is nothing of what is asked for. */
  readonly build: (world: BuildingFor, terms: CallTerms) => Promise<Built | null>
  /** The calldata, and beside it or in its place a right for the thief. */
  readonly givesAway: (data: Hex) => Hex
}

/** What every request says. */
type Asked = { readonly chainId: number; readonly walletAddress: string }

type Facts<Body extends Asked> = {
  readonly member: string
  readonly form: z.ZodType<Body>
  readonly build: (world: BuildingFor, body: Body, terms: CallTerms) => Built | null | Promise<Built | null>
  readonly givesAway: (data: Hex, body: Body) => Hex
}

function operation<Body extends Asked>({ member, form, build, givesAway }: Facts<Body>): Operation {
  return {
    member,
    read: (content) => {
      const read = form.safeParse(content)
      if (!read.success) return { problem: read.error.issues[0]?.message ?? '' }
      return {
        body: read.data,
        build: async (world, terms) => build(world, read.data, terms),
        givesAway: (data) => givesAway(data, read.data),
      }
    },
  }
}

/** Beside what was asked for, the position itself is handed to somebody. Both position managers take such a list. */
function positionToo(data: Hex, { tokenId }: { readonly tokenId: number }): Hex {
  const approval = encodeFunctionData({ abi, functionName: 'approve', args: [thief, BigInt(tokenId)] })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[data, approval]] })
}

/** Beside the trade, the router uses a permit by which somebody else may take the wallet's dollars out of Permit2. */
function allowanceToo(data: Hex): Hex {
  const [commands, inputs, deadline] = decodeFunctionData({ abi: routerAbi, data }).args
  const details = { token: thief, amount: 2n ** 160n - 1n, expiration: 2 ** 48 - 1, nonce: 0 } as const
  const permit = encodeAbiParameters(permitParameters, [{ details, spender: thief, sigDeadline: deadline }, '0x'])
  const args = [concatHex([commands, '0x0a']), [...inputs, permit], deadline] as const
  return encodeFunctionData({ abi: routerAbi, functionName: 'execute', args })
}

const permitParameters = parseAbiParameters([
  'Permit permit, bytes signature',
  'struct Permit { Details details; address spender; uint256 sigDeadline; }',
  'struct Details { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
])

/** The same of every position that the wallet holds or will hold. */
function allToo(data: Hex): Hex {
  const approval = encodeFunctionData({ abi, functionName: 'setApprovalForAll', args: [thief, true] })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[data, approval]] })
}

const abi = parseAbi([
  'function setApprovalForAll(address operator, bool approved)',
  'function approve(address to, uint256 tokenId)',
  'function multicall(bytes[] data) payable returns (bytes[] results)',
])

/**
 * A claim of all that an account has earned of some tokens, with the proofs of the tree in force; a stale one with those of the
 * tree before it. `null` where nothing of it is left to pay.
 */
async function buildClaimRewards(
  { rewardDistributor: to }: Chain,
  rpcUrl: string | null,
  { walletAddress, tokens }: ClaimRewardsBody,
  { recipient, isStale }: CallTerms,
): Promise<BuiltCall | null> {
  if (to === undefined || rpcUrl === null) throw new TypeError('the chain has no distributor that can be read')
  const client = connect(rpcUrl)
  const earnings = await readEarnings(client, to)
  const { leaves } = rewardTree(isStale ? earnings.slice(0, -1) : earnings)
  const asked = leaves.filter(
    ({ user, token }) =>
      isAddressEqual(user, walletAddress as Address) && tokens.some((one) => isAddressEqual(one as Address, token)),
  )
  const paid = await Promise.all(
    asked.map(({ user, token }) =>
      client.readContract({ address: to, abi: merklAbi, functionName: 'claimed', args: [user, token] }),
    ),
  )
  const due = asked.filter(({ amount }, index) => amount > (paid[index]?.[0] ?? 0n))
  return due.length === 0 ? null : { to, data: claimData(due, recipient as Address), value: '0x00' }
}

/** Lets somebody claim for an account, wherever that account is paid. */
function operatorData(user: string, operator: string): Hex {
  return encodeFunctionData({
    abi: merklAbi,
    functionName: 'toggleOperator',
    args: [user as Address, operator as Address],
  })
}

function claimData(leaves: readonly RewardLeaf[], user: Address): Hex {
  return encodeFunctionData({
    abi: merklAbi,
    functionName: 'claim',
    args: [
      leaves.map(() => user),
      leaves.map(({ token }) => token),
      leaves.map(({ amount }) => amount),
      leaves.map(({ proof }) => proof),
    ],
  })
}

/** As Merkl publishes it. */
const merklAbi = parseAbi([
  'function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)',
  'function claimed(address user, address token) view returns (uint208 amount, uint48 timestamp, bytes32 merkleRoot)',
  'function toggleOperator(address user, address operator)',
])

/** The calls of a migration, built by the vendor's SDKs: all is taken out of v3 and handed to v4's position manager, which opens the other. */
function buildMigrate(sdks: Sdks, chain: Chain, body: MigrateBody, terms: CallTerms): BuiltCall {
  const { core, v3, v4, router } = sdks
  if (chain.amm.v4 === undefined || chain.amm.universalRouter === undefined) throw new TypeError('the chain has no v4')
  const { positionManager } = chain.amm.v4
  const currencies = currenciesOf(sdks, chain, body)
  const [token0, token1] = currencies.input
  const { pool: from, tickLower, tickUpper } = body.inputPosition
  const state = [body.inputSqrtRatioX96, body.inputPoolLiquidity, body.inputCurrentTick] as const
  const inputPosition = new v3.Position({
    pool: new v3.Pool(token0, token1, from.fee, ...state),
    liquidity: body.inputPositionLiquidity,
    tickLower,
    tickUpper,
  })
  const { pool: into, ...ticks } = body.outputPosition
  const [currency0, currency1] = currencies.output
  const { fee, tickSpacing, hooks = zeroAddress } = into
  const target = [body.outputSqrtRatioX96, body.outputPoolLiquidity, body.outputCurrentTick] as const
  const outputPosition = v4.Position.fromAmounts({
    pool: new v4.Pool(currency0, currency1, fee, tickSpacing, hooks, ...target),
    ...ticks,
    amount0: body.amount0,
    amount1: body.amount1,
    useFullPrecision: true,
  })
  const owed = (token: Token, amount: string) => core.CurrencyAmount.fromRawAmount(token, amount)
  const limits = {
    slippageTolerance: new core.Percent(Math.round(body.slippageTolerance * 1_000_000), 100_000_000),
    deadline: terms.isStale ? terms.deadline - 86_400 : terms.deadline,
  }
  const { calldata, value } = router.SwapRouter.migrateV3ToV4CallParameters(
    {
      inputPosition,
      outputPosition,
      v3RemoveLiquidityOptions: {
        ...limits,
        tokenId: body.tokenId,
        liquidityPercentage: new core.Percent(100, 100),
        burnToken: true,
        collectOptions: {
          expectedCurrencyOwed0: owed(token0, body.expectedTokenOwed0RawAmount),
          expectedCurrencyOwed1: owed(token1, body.expectedTokenOwed1RawAmount),
          recipient: positionManager,
        },
      },
      v4AddLiquidityOptions: {
        ...limits,
        recipient: terms.recipient,
        migrate: true,
        ...(currencies.native === null ? {} : { useNative: currencies.native }),
      },
    },
    positionManager,
  )
  return { to: chain.amm.universalRouter.address, data: calldata as Hex, value }
}

/** Beside what was asked for, the router hands in a permit by which somebody else may use the position. */
function permitToo(data: Hex, tokenId: number, thief: Hex): Hex {
  const [commands, inputs, deadline] = decodeFunctionData({ abi: routerAbi, data }).args
  const permit = encodeFunctionData({
    abi: permitAbi,
    functionName: 'permit',
    args: [thief, BigInt(tokenId), deadline, 27, `0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`],
  })
  const args = [concatHex([commands, '0x11']), [...inputs, permit], deadline] as const
  return encodeFunctionData({ abi: routerAbi, functionName: 'execute', args })
}

function currenciesOf({ core }: Sdks, chain: Chain, { inputPosition, outputPosition }: MigrateBody) {
  const { token0, token1 } = inputPosition.pool
  const input = [new core.Token(chain.id, token0, 18), new core.Token(chain.id, token1, 18)] as const
  if (outputPosition.pool.token0 !== zeroAddress) return { input, output: input, native: null }
  const wrapped = input.find(({ address }) => address === chain.wrappedNative.address)
  const other = input.find((token) => token !== wrapped)
  if (wrapped === undefined || other === undefined) throw new TypeError('a position of other tokens')
  const native = nativeOf(core, wrapped)
  return { input, output: [native, other] as const, native }
}

const routerAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])
const permitAbi = parseAbi([
  'function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
])
