import { contractRead, type ContractRead, readOne } from '@svc/amm/rpc'
import type { Chain, ReferencePool } from '@svc/wallet/core'
import { type Address, isAddressEqual, parseAbi, type PublicClient } from 'viem'

/**
 * Whether each contract that the row of a chain names stands there and answers as it should: that it knows the factory, manager or Permit2
 * that it must belong to, bears its name, counts in the decimals of the row. What feeds answer and how old that is, beside it: one that is
 * late is no fault of the row. Reads alone. Throws ToolError `RPC_*`.
 */
export async function verifyContracts(client: PublicClient, chain: Chain): Promise<ContractReport> {
  const { timestamp } = await client.getBlock()
  const [contracts, feeds] = await Promise.all([
    Promise.all(expectedOf(chain).map((one) => verify(client, one))),
    Promise.all(feedsOf(chain).map((feed) => readFeed(client, feed, Number(timestamp)))),
  ])
  return { contracts, feeds }
}

export type ContractReport = { readonly contracts: readonly Verified[]; readonly feeds: readonly FeedReport[] }

export type Verified = {
  /** Its place in the row of the chain. */
  readonly contract: string
  readonly address: string
  /** In our own words; `null` where it answers as it should. */
  readonly problem: string | null
}

export type FeedReport = Verified & {
  readonly usd: number | null
  readonly ageSeconds: number | null
  readonly isLate: boolean
}

type Expected = {
  readonly contract: string
  readonly address: Address
  readonly answers: readonly Answer[]
}

type Answer = {
  readonly call: string
  readonly read: ContractRead<unknown>
  readonly isRight: (answer: unknown) => boolean
}

async function verify(client: PublicClient, { contract, address, answers }: Expected): Promise<Verified> {
  const [code, ...found] = await Promise.all([
    client.getCode({ address }),
    ...answers.map(({ read }) => readOne(client, read)),
  ])
  const wrong = answers.find(({ isRight }, index) => found[index] === null || !isRight(found[index]))
  const nth = wrong === undefined ? -1 : answers.indexOf(wrong)
  const problem =
    code === undefined
      ? 'no contract stands there'
      : wrong === undefined
        ? null
        : `${wrong.call} ${found[nth] === null ? 'does not answer' : 'answers otherwise than the row says'}`
  return { contract, address, problem }
}

const abi = parseAbi([
  'function getChainId() view returns (uint256)',
  'function factory() view returns (address)',
  'function owner() view returns (address)',
  'function feeToSetter() view returns (address)',
  'function feeAmountTickSpacing(uint24 fee) view returns (int24)',
  'function poolManager() view returns (address)',
  'function permit2() view returns (address)',
  'function name() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function fee() view returns (uint24)',
  'function getSlot0(bytes32 poolId) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])

/** Those that take nothing. */
type Plain =
  | 'getChainId'
  | 'factory'
  | 'owner'
  | 'feeToSetter'
  | 'poolManager'
  | 'permit2'
  | 'name'
  | 'decimals'
  | 'DOMAIN_SEPARATOR'
  | 'token0'
  | 'token1'
  | 'fee'

function says(address: Address, call: Plain, isRight: Answer['isRight'] = () => true): Answer {
  return { call: `${call}()`, read: contractRead(address, abi, call, []), isRight }
}

const same = (expected: Address) => (answer: unknown) =>
  typeof answer === 'string' && isAddressEqual(answer as Address, expected)
const equal = (expected: unknown) => (answer: unknown) => answer === expected

function expectedOf(chain: Chain): readonly Expected[] {
  const { permit2, multicall3, rewardDistributor, orderReactor, crossChainSettler } = chain
  const { identityRegistry, sequencerUptimeFeed, tokens } = chain
  const { universalRouter } = chain.amm
  const plain = (contract: string, address: Address | undefined, ...answers: readonly Answer[]) =>
    address === undefined ? [] : [{ contract, address, answers }]
  return [
    ...plain('multicall3', multicall3, says(multicall3, 'getChainId', equal(BigInt(chain.id)))),
    ...plain('permit2', permit2, says(permit2, 'DOMAIN_SEPARATOR')),
    ...versionsOf(chain),
    ...plain('universalRouter', universalRouter?.address),
    ...(orderReactor ? plain('orderReactor', orderReactor, says(orderReactor, 'permit2', same(permit2))) : []),
    ...plain('crossChainSettler', crossChainSettler),
    ...plain('rewardDistributor', rewardDistributor),
    ...plain('identityRegistry', identityRegistry?.address),
    ...(sequencerUptimeFeed
      ? plain('sequencerUptimeFeed', sequencerUptimeFeed.address, round(sequencerUptimeFeed.address))
      : []),
    ...tokens.flatMap((token) =>
      plain(`token ${token.symbol}`, token.address, says(token.address, 'decimals', equal(token.decimals))),
    ),
    ...tokens.flatMap(({ symbol, address, priceSources }) =>
      (priceSources?.pools ?? []).flatMap((pool) => poolOf(chain, symbol, address, pool)),
    ),
  ]
}

function versionsOf({ amm: { v2, v3, v4 }, permit2 }: Chain): readonly Expected[] {
  const one = (contract: string, address: Address, ...answers: readonly Answer[]) => ({ contract, address, answers })
  return [
    ...(v2 === undefined
      ? []
      : [
          one('v2.factory', v2.factory, says(v2.factory, 'feeToSetter')),
          one('v2.router', v2.router, says(v2.router, 'factory', same(v2.factory))),
        ]),
    ...(v3 === undefined
      ? []
      : [
          one('v3.factory', v3.factory, says(v3.factory, 'owner'), spacing(v3.factory)),
          one(
            'v3.positionManager',
            v3.positionManager,
            says(v3.positionManager, 'factory', same(v3.factory)),
            says(v3.positionManager, 'name', equal('Uniswap V3 Positions NFT-V1')),
          ),
          one('v3.swapRouter02', v3.swapRouter02, says(v3.swapRouter02, 'factory', same(v3.factory))),
          one('v3.quoterV2', v3.quoterV2, says(v3.quoterV2, 'factory', same(v3.factory))),
          one('v3.tickLens', v3.tickLens),
        ]),
    ...(v4 === undefined
      ? []
      : [
          one('v4.poolManager', v4.poolManager, says(v4.poolManager, 'owner')),
          one(
            'v4.positionManager',
            v4.positionManager,
            says(v4.positionManager, 'poolManager', same(v4.poolManager)),
            says(v4.positionManager, 'permit2', same(permit2)),
            says(v4.positionManager, 'name', equal('Uniswap v4 Positions NFT')),
          ),
          one('v4.stateView', v4.stateView, says(v4.stateView, 'poolManager', same(v4.poolManager))),
          one('v4.quoter', v4.quoter, says(v4.quoter, 'poolManager', same(v4.poolManager))),
        ]),
  ]
}

function spacing(factory: Address): Answer {
  const read = contractRead(factory, abi, 'feeAmountTickSpacing', [500])
  return { call: 'feeAmountTickSpacing(500)', read, isRight: equal(10) }
}

function round(feed: Address): Answer {
  return { call: 'latestRoundData()', read: contractRead(feed, abi, 'latestRoundData', []), isRight: () => true }
}

/** A reference pool stands where the row says and holds its tokens; in v4 it has a price. */
function poolOf({ amm }: Chain, symbol: string, token: Address, pool: ReferencePool): readonly Expected[] {
  const contract = `pool ${pool.version} of ${symbol}`
  if (pool.version === 'v4') {
    if (amm.v4 === undefined) return []
    const address = amm.v4.stateView
    const isPriced = (answer: unknown) => Array.isArray(answer) && answer[0] !== 0n
    const read = contractRead(address, abi, 'getSlot0', [pool.id])
    return [{ contract, address, answers: [{ call: 'getSlot0(id)', read, isRight: isPriced }] }]
  }
  const factory = pool.version === 'v2' ? amm.v2?.factory : amm.v3?.factory
  if (factory === undefined) return []
  const isToken = (answer: unknown) => same(token)(answer) || same(pool.quote)(answer)
  const answers = [
    says(pool.id, 'factory', same(factory)),
    says(pool.id, 'token0', isToken),
    says(pool.id, 'token1', isToken),
    ...(pool.version === 'v3' ? [says(pool.id, 'fee', equal(pool.fee))] : []),
  ]
  return [{ contract, address: pool.id, answers }]
}

type Feed = NonNullable<NonNullable<Chain['tokens'][number]['priceSources']>['feed']> & { readonly symbol: string }

function feedsOf({ tokens }: Chain): readonly Feed[] {
  return tokens.flatMap(({ symbol, priceSources }) =>
    priceSources?.feed === undefined ? [] : [{ ...priceSources.feed, symbol }],
  )
}

async function readFeed(client: PublicClient, feed: Feed, atSeconds: number): Promise<FeedReport> {
  const { address } = feed
  const [decimals, latest] = await Promise.all([
    readOne(client, contractRead(address, abi, 'decimals', [])),
    readOne(client, contractRead(address, abi, 'latestRoundData', [])),
  ])
  const answer = latest?.[1] ?? 0n
  const ageSeconds = latest === null ? null : Math.max(0, atSeconds - Number(latest[3]))
  const problem =
    latest === null
      ? 'latestRoundData() does not answer'
      : decimals !== feed.decimals
        ? 'decimals() answers otherwise than the row says'
        : answer <= 0n
          ? 'it answers no price'
          : null
  return {
    contract: `feed of ${feed.symbol}`,
    address,
    problem,
    usd: problem === null ? Number(answer) / 10 ** feed.decimals : null,
    ageSeconds,
    isLate: ageSeconds !== null && ageSeconds > feed.heartbeatSeconds + lateSeconds,
  }
}

/** As prices allow it: an answer takes a moment to be mined. */
const lateSeconds = 60
