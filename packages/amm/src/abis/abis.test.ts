import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { toEventSelector, toFunctionSelector, type Abi, type AbiEvent, type AbiFunction, type AbiParameter } from 'viem'
import { describe, expect, it } from 'vitest'
import { universalRouterAbi } from '../liquidity/v4/plan-swap.ts'
import { v2FactoryAbi, v2PairAbi, v2RouterAbi } from './v2.ts'
import { v3PoolAbi, v3PositionManagerAbi, v3QuoterV2Abi } from './v3.ts'
import { v3SwapRouter02Abi } from '../liquidity/v3/plan-swap.ts'
import { v4PoolManagerAbi, v4PositionManagerAbi, v4QuoterAbi, v4StateViewAbi } from './v4.ts'

const require = createRequire(import.meta.url)

describe("the ABIs written here agree with the publisher's artifacts", () => {
  it.each<[name: string, own: Abi, artifact: string]>([
    ['v2 factory', v2FactoryAbi, require.resolve('@uniswap/v2-core/build/UniswapV2Factory.json')],
    ['v2 pair', v2PairAbi, require.resolve('@uniswap/v2-core/build/UniswapV2Pair.json')],
    ['v2 router', v2RouterAbi, require.resolve('@uniswap/v2-periphery/build/UniswapV2Router02.json')],
    [
      'v3 pool',
      v3PoolAbi,
      require.resolve('@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json'),
    ],
    [
      'v3 position manager',
      v3PositionManagerAbi,
      require.resolve('@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json'),
    ],
    [
      'v3 QuoterV2',
      v3QuoterV2Abi,
      require.resolve('@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json'),
    ],
    [
      'SwapRouter02',
      v3SwapRouter02Abi,
      require.resolve('@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json'),
    ],
    ['v4 pool manager', v4PoolManagerAbi, require.resolve('@uniswap/v4-core/out/PoolManager.sol/PoolManager.json')],
    [
      'v4 position manager',
      v4PositionManagerAbi,
      require.resolve('@uniswap/v4-periphery/foundry-out/PositionManager.sol/PositionManager.json'),
    ],
    [
      'v4 state view',
      v4StateViewAbi,
      require.resolve('@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json'),
    ],
    ['v4 quoter', v4QuoterAbi, require.resolve('@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json')],
    [
      'universal router',
      universalRouterAbi,
      require.resolve('@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json'),
    ],
  ])('%s', (_, own, artifact) => {
    const published = new Set(read(artifact).flatMap(shapeOf))
    const shapes = own.flatMap(shapeOf)
    expect(shapes.length).toBeGreaterThan(0)
    for (const shape of shapes) expect(published).toContain(shape)
  })
})

/** Selector and types of what goes in and comes out; names and mutability are ours to choose. */
function shapeOf(item: Abi[number]): string[] {
  if (item.type === 'function') return [functionShape(item)]
  return item.type === 'event' ? [eventShape(item)] : []
}

function functionShape(item: AbiFunction): string {
  return `${item.name} ${toFunctionSelector(item)} ${item.outputs.map(typeOf).join()}`
}

function eventShape(item: AbiEvent): string {
  return `${item.name} ${toEventSelector(item)} ${item.inputs.map(({ indexed }) => indexed === true).join()}`
}

function typeOf(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type
  return `${parameter.type}(${parameter.components.map(typeOf).join()})`
}

function read(artifact: string): Abi {
  const content: { abi: Abi } = JSON.parse(readFileSync(artifact, 'utf8'))
  return content.abi
}
