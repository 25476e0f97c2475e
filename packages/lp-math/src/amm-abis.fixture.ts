import { parseAbi } from 'viem'

export const v3PoolAbi = parseAbi([
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
  'function liquidity() view returns (uint128)',
  'function ticks(int24) view returns (uint128, int128, uint256, uint256, int56, uint160, uint32, bool)',
  'function feeGrowthGlobal0X128() view returns (uint256)',
  'function feeGrowthGlobal1X128() view returns (uint256)',
  'function protocolFees() view returns (uint128, uint128)',
  'function positions(bytes32) view returns (uint128, uint256, uint256, uint128, uint128)',
  'function observations(uint256) view returns (uint32, int56, uint160, bool)',
  'function tickBitmap(int16) view returns (uint256)',
  'function initialize(uint160 sqrtPriceX96)',
  'function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 amount, bytes data) returns (uint256, uint256)',
  'function burn(int24 tickLower, int24 tickUpper, uint128 amount) returns (uint256, uint256)',
  'function collect(address recipient, int24 tickLower, int24 tickUpper, uint128 amount0, uint128 amount1) returns (uint128, uint128)',
  'function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes data) returns (int256, int256)',
  'function flash(address recipient, uint256 amount0, uint256 amount1, bytes data)',
  'function setFeeProtocol(uint8 feeProtocol0, uint8 feeProtocol1)',
  'function collectProtocol(address recipient, uint128 amount0, uint128 amount1) returns (uint128, uint128)',
  'function increaseObservationCardinalityNext(uint16 next)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
  'event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)',
  'event SetFeeProtocol(uint8 feeProtocol0Old, uint8 feeProtocol1Old, uint8 feeProtocol0New, uint8 feeProtocol1New)',
  'event CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1)',
  'event IncreaseObservationCardinalityNext(uint16 observationCardinalityNextOld, uint16 observationCardinalityNextNew)',
])

export const v3FactoryAbi = parseAbi([
  'function owner() view returns (address)',
  'function setOwner(address)',
  'function createPool(address, address, uint24) returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
])

export const v4PoolManagerAbi = parseAbi([
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
])

export const stateViewAbi = parseAbi([
  'function getSlot0(bytes32) view returns (uint160, int24, uint24, uint24)',
  'function getLiquidity(bytes32) view returns (uint128)',
  'function getTickLiquidity(bytes32, int24) view returns (uint128, int128)',
  'function getFeeGrowthInside(bytes32, int24, int24) view returns (uint256, uint256)',
])

export const quoterV2Abi = parseAbi([
  'struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Params params) returns (uint256, uint160, uint32, uint256)',
])

export const v4QuoterAbi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Params { PoolKey poolKey; bool zeroForOne; uint128 exactAmount; bytes hookData; }',
  'function quoteExactInputSingle(Params params) returns (uint256, uint256)',
])

export const v3PositionManagerAbi = parseAbi([
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'struct DecreaseParams { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }',
  'struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function mint(MintParams) payable returns (uint256, uint128, uint256, uint256)',
  'function decreaseLiquidity(DecreaseParams) payable returns (uint256, uint256)',
  'function collect(CollectParams) payable returns (uint256, uint256)',
])

/** The v2 router, the pair, and what a pair shares with every token. */
export const v2Abi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function totalSupply() view returns (uint256)',
  'function approve(address, uint256) returns (bool)',
  'function getAmountOut(uint256, uint256, uint256) view returns (uint256)',
  'function getAmountIn(uint256, uint256, uint256) view returns (uint256)',
  'function quote(uint256, uint256, uint256) view returns (uint256)',
  'function addLiquidity(address, address, uint256, uint256, uint256, uint256, address, uint256) returns (uint256, uint256, uint256)',
  'function removeLiquidity(address, address, uint256, uint256, uint256, address, uint256) returns (uint256, uint256)',
])
