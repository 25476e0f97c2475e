import { positionPermitAbi } from '@svc/amm/liquidity'
import { universalRouterAbi, v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { expect, it } from 'vitest'
import { readCalldata } from './read-calldata.ts'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const [router, v3, v4, wallet, weth, usdc] = [
  address('1'),
  address('3'),
  address('4'),
  address('5'),
  address('6'),
  address('7'),
] as const
const stranger = address('9')
const caller: Address = '0x0000000000000000000000000000000000000001'
const itself: Address = '0x0000000000000000000000000000000000000002'

const execute = (steps: readonly (readonly [command: Hex, input: Hex])[]): Hex =>
  encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [concatHex(steps.map(([command]) => command)), steps.map(([, input]) => input), 9n],
  })
const permit: Hex = encodeFunctionData({
  abi: positionPermitAbi,
  functionName: 'permit',
  args: [router, 7n, 8n, 27, `0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`],
})
const collect = (recipient: Address): Hex =>
  encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'collect',
    args: [{ tokenId: 7n, recipient, amount0Max: 1n, amount1Max: 1n }],
  })
const burn: Hex = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'burn', args: [7n] })
const mintForm = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 most0, uint128 most1, address recipient, bytes hookData',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])
const mint = (recipient: Address, currency0: Address = weth): readonly [Hex, Hex] => {
  const key = { currency0, currency1: usdc, fee: 500, tickSpacing: 10, hooks: zeroAddress }
  return ['0x02', encodeAbiParameters(mintForm, [key, -10, 10, 5n, 6n, 7n, recipient, '0x'])]
}
const sweep = (token: Address, recipient: Address): readonly [Hex, Hex] => [
  '0x14',
  encodeAbiParameters(parseAbiParameters('address, address'), [token, recipient]),
]
const modify = (...actions: readonly (readonly [Hex, Hex])[]): Hex =>
  encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'modifyLiquidities',
    args: [
      encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [
        concatHex(actions.map(([action]) => action)),
        actions.map(([, parameters]) => parameters),
      ]),
      9n,
    ],
  })
const read = (data: Hex) => readCalldata('universalRouter', router, data, weth, { v3, v4 })
const moved = (...actions: readonly (readonly [Hex, Hex])[]) =>
  read(
    execute([
      ['0x11', permit],
      ['0x12', collect(v4)],
      ['0x12', burn],
      ['0x14', modify(...actions)],
    ]),
  )
const swept = [sweep(weth, wallet), sweep(usdc, wallet)] as const

it('a migration pays the wallet alone, and says whose positions and rights are in it', () => {
  expect(moved(mint(wallet), ...swept)).toMatchObject({
    recipients: [wallet, wallet, wallet],
    deadlines: [9n, 8n, 9n],
    positionIds: [],
    deposits: [{ kind: 'mint', version: 'v4', recipient: wallet, liquidity: 5n }],
    nested: {
      managers: [v3, v4],
      positions: [7n, 7n, 7n].map((id) => ({ contract: v3, id })),
      permits: [{ spender: router, tokenId: 7n, deadline: 8n }],
      burnt: [7n],
    },
  })
})

it('native currency is paid out again as its wrapped form', () => {
  expect(moved(mint(wallet, zeroAddress), ...swept)?.recipients).toEqual([wallet, wallet, wallet])
})

it('of native currency just what the new position owes is unwrapped, or the rest of it is paid out again', () => {
  const unwrap = (amount: bigint) => ['0x16', encodeAbiParameters(parseAbiParameters('uint256'), [amount])] as const
  const opened = mint(wallet, zeroAddress)
  expect(moved(unwrap(0n), opened, ...swept)?.recipients).not.toContain(v4)
  expect(moved(unwrap(5n), opened, ...swept)?.recipients).toContain(v4)
  expect(moved(unwrap(5n), opened, ...swept, sweep(zeroAddress, wallet))?.recipients).not.toContain(v4)
})

it.each([
  ['nothing is opened with it', [...swept]],
  ['one side of it is not paid out again', [mint(wallet), sweep(weth, wallet)]],
  ['it is paid out before the other is opened', [...swept, mint(wallet)]],
  ['what is paid out again are other tokens', [mint(wallet), sweep(weth, wallet), sweep(stranger, wallet)]],
] as const)('what the position pays stays with the position manager: %s', (_what, actions) => {
  expect(moved(...actions)?.recipients).toContain(v4)
})

it('who calls the position manager is the router: its names mean the router and the manager, not the wallet', () => {
  const recipients = (recipient: Address) => moved(mint(recipient), ...swept)?.recipients
  expect(recipients(caller)).toContain(router)
  expect(recipients(itself)).toContain(v4)
  expect(moved(mint(wallet), sweep(weth, caller), sweep(usdc, wallet))?.recipients).toContain(router)
  expect(recipients(stranger)).toContain(stranger)
  expect(read(execute([['0x12', collect(stranger)]]))?.recipients).toEqual([stranger])
  expect(read(execute([['0x12', collect(zeroAddress)]]))?.recipients).toEqual([v3])
})

it('no other function of the position managers is read, nor any where the chain has none', () => {
  const others = parseAbi(['function approve(address to, uint256 id)', 'function multicall(bytes[] data)'])
  const approve = encodeFunctionData({ abi: others, functionName: 'approve', args: [stranger, 7n] })
  const multicall = encodeFunctionData({ abi: others, functionName: 'multicall', args: [[burn]] })
  const hidden: readonly (readonly [Hex, Hex])[] = [
    ['0x11', approve],
    ['0x11', burn],
    ['0x12', approve],
    ['0x12', permit],
    ['0x12', multicall],
    ['0x14', multicall],
    ['0x14', burn],
    ['0x92', burn],
  ]
  expect(hidden.map((step) => read(execute([step])))).toEqual(hidden.map(() => null))
  expect(readCalldata('universalRouter', router, execute([['0x12', burn]]), weth)).toBeNull()
})
