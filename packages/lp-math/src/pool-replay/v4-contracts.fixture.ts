import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
} from 'viem'
import type { ammContracts, Ticks } from '../amm-contracts.fixture.ts'
import { createV4PoolState, type V4PoolState, type V4PoolEvent } from './v4-pool-state.ts'

export type Chain = ReturnType<typeof ammContracts>
export type Pool = ReturnType<Chain['find']>

const managerAbi = parseAbi([
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  'event Donate(bytes32 indexed id, address indexed sender, uint256 amount0, uint256 amount1)',
  'event ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee)',
])

const adminAbi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function owner() view returns (address)',
  'function setProtocolFeeController(address)',
  'function setProtocolFee(PoolKey key, uint24 protocolFee)',
])

const viewAbi = parseAbi([
  'function getSlot0(bytes32) view returns (uint160, int24, uint24, uint24)',
  'function getLiquidity(bytes32) view returns (uint128)',
  'function getFeeGrowthGlobals(bytes32) view returns (uint256, uint256)',
  'function getTickInfo(bytes32, int24) view returns (uint128, int128, uint256, uint256)',
  'function getPositionInfo(bytes32, address, int24, int24, bytes32) view returns (uint128, uint256, uint256)',
])

export const v4PositionManagerAbi = parseAbi([
  'function modifyLiquidities(bytes unlockData, uint256 deadline) payable',
  'function nextTokenId() view returns (uint256)',
])

/** All events of a pool so far; the number of a block stands for its time. */
export async function v4Events({ client, addresses }: Chain, { id }: Pool): Promise<V4PoolEvent[]> {
  const logs = await client.getLogs({ address: addresses.v4.poolManager, fromBlock: 0n })
  const own = parseEventLogs({ abi: managerAbi, logs }).filter(({ args }) => args.id === id)
  return own.map((log) => Object.assign(log, { timestamp: Number(log.blockNumber) }))
}

export function emptyPool({ fee: feePips, tickSpacing, hooks }: Pool): V4PoolState {
  return createV4PoolState({ feePips, tickSpacing: tickSpacing!, ...(hooks === null ? {} : { hooks }) })
}

/** The protocol's part of the input from now on, for either token in millionths: the manager's owner sets who may set it. */
export async function setProtocolFee(
  chain: Chain,
  pool: Pool,
  [pips0, pips1]: readonly [number, number],
): Promise<void> {
  const { client, account, addresses, mined } = chain
  const manager = { address: addresses.v4.poolManager, abi: adminAbi } as const
  const owner = await client.readContract({ ...manager, functionName: 'owner' })
  await client.request<Impersonate>({ method: 'anvil_impersonateAccount', params: [owner] })
  await client.request<SetBalance>({ method: 'anvil_setBalance', params: [owner, numberToHex(10n ** 18n)] })
  const appoint = { ...manager, account: owner, functionName: 'setProtocolFeeController', args: [account] } as const
  await mined(client.writeContract(appoint))
  const args = [keyOf(pool), (pips1 << 12) | pips0] as const
  await mined(client.writeContract({ ...manager, functionName: 'setProtocolFee', args }))
}

type Impersonate = { Method: 'anvil_impersonateAccount'; Parameters: [Address]; ReturnType: null }
type SetBalance = { Method: 'anvil_setBalance'; Parameters: [Address, Hex]; ReturnType: null }

/** What StateView tells of a pool, its ticks and positions, in the form of a replayed state: of what the state knows. */
export async function storedV4(chain: Chain, { id }: Pool, state: V4PoolState): Promise<Partial<V4PoolState>> {
  const at = { address: chain.addresses.v4.stateView, abi: viewAbi } as const
  const { client } = chain
  const [sqrtPriceX96, tick, protocolFee] = await client.readContract({ ...at, functionName: 'getSlot0', args: [id] })
  const [feeGrowthGlobal0X128, feeGrowthGlobal1X128] = await client.readContract({
    ...at,
    functionName: 'getFeeGrowthGlobals',
    args: [id],
  })
  const ticks = state.ticks.map(async ({ tick: index }) => {
    const [liquidityGross, liquidityNet, feeGrowthOutside0X128, feeGrowthOutside1X128] = await client.readContract({
      ...at,
      functionName: 'getTickInfo',
      args: [id, index],
    })
    return { tick: index, liquidityGross, liquidityNet, feeGrowthOutside0X128, feeGrowthOutside1X128 }
  })
  return {
    sqrtPriceX96,
    tick,
    protocolFee,
    liquidity: await client.readContract({ ...at, functionName: 'getLiquidity', args: [id] }),
    feeGrowthGlobal0X128,
    feeGrowthGlobal1X128,
    ticks: await Promise.all(ticks),
  }
}

/** Liquidity and last growth of a position, by the key that a state keeps it under. */
export async function storedV4Position(chain: Chain, { id }: Pool, key: string) {
  const [owner, tickLower, tickUpper, salt] = key.split(':') as [Address, string, string, Hex]
  const [liquidity, feeGrowthInside0LastX128, feeGrowthInside1LastX128] = await chain.client.readContract({
    address: chain.addresses.v4.stateView,
    abi: viewAbi,
    functionName: 'getPositionInfo',
    args: [id, owner, Number(tickLower), Number(tickUpper), salt],
  })
  return { liquidity, feeGrowthInside0LastX128, feeGrowthInside1LastX128 }
}

/** The unlock data of a mint, for the position manager; what native currency is too much is swept back. */
export function mintV4(pool: Pool, { tickLower, tickUpper }: Ticks, liquidity: bigint, owner: Address): Hex {
  const { currency0, currency1, fee, tickSpacing, hooks } = keyOf(pool)
  const mint = encodeAbiParameters(
    parseAbiParameters(
      '(address,address,uint24,int24,address), int24, int24, uint256, uint128, uint128, address, bytes',
    ),
    [[currency0, currency1, fee, tickSpacing, hooks], tickLower, tickUpper, liquidity, most, most, owner, '0x'],
  )
  const pair = encodeAbiParameters(parseAbiParameters('address, address'), [currency0, currency1])
  const sweep = encodeAbiParameters(parseAbiParameters('address, address'), [currency0, owner])
  return unlockData([0x02, 0x0d, 0x14], [mint, pair, sweep])
}

/** The unlock data that collects the fees of a position for somebody, and leaves its liquidity. */
export function collectV4(pool: Pool, tokenId: bigint, recipient: Address): Hex {
  const { currency0, currency1 } = keyOf(pool)
  const decrease = encodeAbiParameters(parseAbiParameters('uint256, uint256, uint128, uint128, bytes'), [
    tokenId,
    0n,
    0n,
    0n,
    '0x',
  ])
  const take = encodeAbiParameters(parseAbiParameters('address, address, address'), [currency0, currency1, recipient])
  return unlockData([0x01, 0x11], [decrease, take])
}

const most = 2n ** 128n - 1n

function unlockData(actions: readonly number[], params: readonly Hex[]): Hex {
  const packed = concat(actions.map((action) => numberToHex(action, { size: 1 })))
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [packed, params])
}

function keyOf({ token0, token1, fee, tickSpacing, hooks }: Pool) {
  const none = '0x0000000000000000000000000000000000000000'
  return { currency0: token0, currency1: token1, fee, tickSpacing: tickSpacing!, hooks: hooks ?? none } as const
}
