import { erc20Abi, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { connect } from './chain-client.ts'
import { useDevnet } from '../use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)

test('stand where the chain row says, Permit2 and Multicall3 at their canonical addresses', async () => {
  const { chain } = devnet()
  expect(chain.permit2).toBe('0x000000000022D473030F116dDEE9F6B43aC78BA3')
  expect(chain.multicall3).toBe('0xcA11bde05977b3631167028862bE2a173976CA11')
  const { v2, v3, v4, universalRouter } = chain.amm
  const named = { permit2: chain.permit2, multicall3: chain.multicall3, universalRouter: universalRouter!.address }
  const tokens = Object.fromEntries(chain.tokens.map(({ symbol, address }) => [symbol, address]))
  const addresses = [named, tokens, v2!, v3!, v4!]
    .flatMap((part) => Object.entries(part))
    .filter(([name]) => !name.endsWith('Hash'))
  const codes = await Promise.all(
    addresses.map(async ([name, address]) => [name, await client().getCode({ address })] as const),
  )
  expect(codes.length).toBeGreaterThanOrEqual(18)
  expect(codes.filter(([, code]) => (code?.length ?? 0) < 200)).toEqual([])
})

test('answer each other: routers and managers know their factories', async () => {
  const { v2, v3, v4 } = devnet().chain.amm
  const read = async (address: `0x${string}`, name: string) =>
    await client().readContract({
      address,
      abi: parseAbi([`function ${name}() view returns (address)`]),
      functionName: name,
    })
  expect(await read(v2!.router, 'factory')).toBe(v2!.factory)
  expect(await read(v3!.positionManager, 'factory')).toBe(v3!.factory)
  expect(await read(v3!.swapRouter02, 'factory')).toBe(v3!.factory)
  expect(await read(v3!.swapRouter02, 'factoryV2')).toBe(v2!.factory)
  expect(await read(v3!.quoterV2, 'factory')).toBe(v3!.factory)
  expect(await read(v4!.positionManager, 'poolManager')).toBe(v4!.poolManager)
  expect(await read(v4!.stateView, 'poolManager')).toBe(v4!.poolManager)
  expect(await read(v4!.quoter, 'poolManager')).toBe(v4!.poolManager)
})

test('Multicall3 answers many reads in one call', async () => {
  const { chain } = devnet()
  const reads = chain.tokens.map(({ address }) => ({ address, abi: erc20Abi, functionName: 'symbol' }) as const)
  const symbols = await client().multicall({
    contracts: reads,
    multicallAddress: chain.multicall3,
    allowFailure: false,
  })
  expect(symbols).toEqual(chain.tokens.map(({ symbol }) => symbol))
})

test('the factories derive the pools we name from the canonical init code hashes', async () => {
  const { chain, pools } = devnet()
  for (const pool of pools.filter(({ version }) => version === 'v3')) {
    const found = await client().readContract({
      address: chain.amm.v3!.factory,
      abi: parseAbi(['function getPool(address, address, uint24) view returns (address)']),
      functionName: 'getPool',
      args: [pool.token1, pool.token0, pool.fee],
    })
    expect(found).toBe(pool.id)
  }
  for (const pool of pools.filter(({ version }) => version === 'v2')) {
    const found = await client().readContract({
      address: chain.amm.v2!.factory,
      abi: parseAbi(['function getPair(address, address) view returns (address)']),
      functionName: 'getPair',
      args: [pool.token1, pool.token0],
    })
    expect(found).toBe(pool.id)
  }
  expect(chain.amm.v2!.pairInitCodeHash).toBe('0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f')
  expect(chain.amm.v3!.poolInitCodeHash).toBe('0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54')
})

test('stands at the canonical addresses of ERC-4337, and the paymaster has a deposit there', async () => {
  const { entryPoint, simple7702Account, paymaster, registry, sponsors } = devnet()
  expect(entryPoint).toBe('0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108')
  expect(simple7702Account).toBe('0xe6Cae83BdE06E4c305530e199D7217f42808555B')
  const sizes = [entryPoint, simple7702Account, paymaster, registry.identity, registry.handle].map(
    async (address) => (await client().getCode({ address }))?.length ?? 0,
  )
  expect(Math.min(...(await Promise.all(sizes)))).toBeGreaterThan(2_000)
  const abi = parseAbi([
    'function balanceOf(address account) view returns (uint256)',
    'function entryPoint() view returns (address)',
    'function signer() view returns (address)',
  ])
  const deposit = { address: entryPoint, abi, functionName: 'balanceOf', args: [paymaster] } as const
  expect(await client().readContract(deposit)).toBe(10n ** 19n)
  expect(await client().readContract({ address: paymaster, abi, functionName: 'entryPoint' })).toBe(entryPoint)
  expect(await client().readContract({ address: simple7702Account, abi, functionName: 'entryPoint' })).toBe(entryPoint)
  expect(await client().readContract({ address: paymaster, abi, functionName: 'signer' })).toBe(
    sponsors.paymasterSigner.address,
  )
})
