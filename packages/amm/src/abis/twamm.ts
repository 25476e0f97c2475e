import { parseAbi } from 'viem'

const structs = [
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct OrderKey { address owner; uint160 expiration; bool zeroForOne; }',
] as const

/** What an owner of orders calls on a TWAMM hook: the interface `ITWAMM` of v4-periphery's first hooks. */
export const twammOrderAbi = parseAbi([
  ...structs,
  'function submitOrder(PoolKey key, OrderKey orderKey, uint256 amountIn) returns (bytes32 orderId)',
  'function updateOrder(PoolKey key, OrderKey orderKey, int256 amountDelta) returns (uint256 owed0, uint256 owed1)',
  'function claimTokens(address currency, address to, uint256 amountRequested) returns (uint256 amount)',
])

/** What is read of one. Earnings factors are amounts per unit of sell rate, times 2^96. */
export const twammHookAbi = parseAbi([
  ...structs,
  'struct Order { uint256 sellRate; uint256 earningsFactorLast; }',
  'function expirationInterval() view returns (uint256 seconds)',
  'function getOrder(PoolKey key, OrderKey orderKey) view returns (Order order)',
  'function tokensOwed(address currency, address owner) view returns (uint256 amount)',
  'event SubmitOrder(bytes32 indexed poolId, address indexed owner, uint160 expiration, bool zeroForOne, uint256 sellRate, uint256 earningsFactorLast)',
  'event UpdateOrder(bytes32 indexed poolId, address indexed owner, uint160 expiration, bool zeroForOne, uint256 sellRate, uint256 earningsFactorLast)',
])
