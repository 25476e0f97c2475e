import * as fc from 'fast-check'
import {
  type Abi,
  type AbiParameter,
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { handleRegistryAbi, identityRegistryAbi } from './calldata-forms.ts'
import {
  rewardDistributorAbi,
  universalRouterAbi,
  v2RouterAbi,
  v3PositionManagerAbi,
  v3SwapRouter02Abi,
  v4PositionManagerAbi,
  wrappedNativeAbi,
} from '@svc/amm/abis'
import { readCalldata } from './read-calldata.ts'
import type { Surface } from './call-recipients.ts'

const target: Address = '0x00000000000000000000000000000000000000aa'
const alice: Address = '0x00000000000000000000000000000000000A11cE'
const weth: Address = '0x00000000000000000000000000000000000000ee'
const zero: Address = '0x0000000000000000000000000000000000000000'
const caller: Address = '0x0000000000000000000000000000000000000001'

const read = (surface: Surface, to: Address, data: Hex) => readCalldata(surface, to, data, weth)
const collect = (recipient: Address): Hex =>
  encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'collect',
    args: [{ tokenId: 1n, recipient, amount0Max: 1n, amount1Max: 1n }],
  })
const multicall = (calls: readonly Hex[]): Hex =>
  encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [calls] })
const unlock = (actions: Hex, params: readonly Hex[]): Hex =>
  encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [actions, params])
const modify = (data: Hex, deadline = 9n): Hex =>
  encodeFunctionData({ abi: v4PositionManagerAbi, functionName: 'modifyLiquidities', args: [data, deadline] })
const execute = (commands: Hex, inputs: readonly Hex[]): Hex =>
  encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args: [commands, inputs, 9n] })
const lessen = (tokenId: bigint, liquidity = 1n): Hex =>
  encodeAbiParameters(parseAbiParameters('uint256, uint256, uint128, uint128, bytes'), [
    tokenId,
    liquidity,
    0n,
    0n,
    '0x',
  ])
const takePair = (recipient: Address): Hex =>
  encodeAbiParameters(parseAbiParameters('address, address, address'), [zero, target, recipient])

describe('reading calldata', () => {
  it('finds recipients and deadlines at any depth', () => {
    const mint = encodeFunctionData({
      abi: v3PositionManagerAbi,
      functionName: 'mint',
      args: [
        {
          token0: zero,
          token1: target,
          fee: 500,
          tickLower: 0,
          tickUpper: 10,
          amount0Desired: 1n,
          amount1Desired: 1n,
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: alice,
          deadline: 77n,
        },
      ],
    })
    expect(read('v3PositionManager', target, multicall([multicall([mint]), collect(alice)]))).toMatchObject({
      recipients: [alice, alice],
      deadlines: [77n],
    })
  })

  it('finds them in v4 actions and router commands', () => {
    expect(read('v4PositionManager', target, modify(unlock('0x0111', [lessen(5n), takePair(alice)])))).toMatchObject({
      recipients: [alice],
      deadlines: [9n],
    })
    const take = encodeAbiParameters(parseAbiParameters('address, address, uint256'), [zero, alice, 0n])
    expect(read('universalRouter', target, execute('0x10', [unlock('0x060c0e', ['0x', '0x', take])]))).toMatchObject({
      recipients: [alice],
      deadlines: [9n],
    })
  })

  it('leaves out what stands for the caller, where it does', () => {
    expect(read('v3PositionManager', target, collect(caller))?.recipients).toEqual([caller])
    expect(read('v4PositionManager', target, modify(unlock('0x11', [takePair(caller)])))?.recipients).toEqual([])
    expect(read('v4PositionManager', target, modify(unlock('0x11', [takePair(zero)])))?.recipients).toEqual([zero])
  })

  it('names the positions of a call, and whether liquidity is removed', () => {
    const less = read('v4PositionManager', target, modify(unlock('0x0111', [lessen(5n), takePair(alice)])))
    expect(less).toMatchObject({ positionIds: [5n], removesLiquidity: true })
    const fees = read('v4PositionManager', target, modify(unlock('0x0111', [lessen(5n, 0n), takePair(alice)])))
    expect(fees).toMatchObject({ positionIds: [5n], removesLiquidity: false })
    const burn = encodeAbiParameters(parseAbiParameters('uint256, uint128, uint128, bytes'), [7n, 0n, 0n, '0x'])
    const burnt = read('v4PositionManager', target, modify(unlock('0x0311', [burn, takePair(alice)])))
    expect(burnt).toMatchObject({ positionIds: [7n], removesLiquidity: true })
    expect(read('v3PositionManager', target, multicall([collect(alice)]))?.positionIds).toEqual([1n])
  })

  it.each<readonly [string, Surface, Hex]>([
    ['an unknown function', 'v3PositionManager', '0xa22cb465'],
    ['an unknown function inside a multicall', 'v3PositionManager', multicall([collect(alice), '0x42842e0e'])],
    ['no function', 'v3PositionManager', '0x'],
    [
      'a view function',
      'v3PositionManager',
      encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'ownerOf', args: [1n] }),
    ],
    ['arguments cut short', 'v3PositionManager', collect(alice).slice(0, 80) as Hex],
    ['multicalls without end', 'v3PositionManager', multicall([multicall([multicall([multicall([collect(alice)])])])])],
    ['clear or take', 'v4PositionManager', modify(unlock('0x13', [takePair(alice)]))],
    ['an unknown v4 action', 'v4PositionManager', modify(unlock('0x17', ['0x']))],
    ['an action without parameters', 'v4PositionManager', modify(unlock('0x0111', ['0x']))],
    ['a recipient that is no address', 'v4PositionManager', modify(unlock('0x11', ['0x01']))],
    ['an unknown router command', 'universalRouter', execute('0x05', ['0x'])],
    ['a permit', 'universalRouter', execute('0x0a', ['0x'])],
    ['a command that may fail', 'universalRouter', execute('0x90', [unlock('0x0c', ['0x'])])],
    ['a sub-plan', 'universalRouter', execute('0x21', ['0x'])],
    ["another contract's function", 'v2Router', collect(alice)],
  ])('does not know %s', (_what, surface, data) => {
    expect(read(surface, target, data)).toBeNull()
  })

  it('knows every address parameter of every function it lets pass: recipients by name, the rest are tokens and hooks', () => {
    const abis = [
      v2RouterAbi,
      v3PositionManagerAbi,
      v3SwapRouter02Abi,
      v4PositionManagerAbi,
      universalRouterAbi,
      wrappedNativeAbi,
      identityRegistryAbi,
      handleRegistryAbi,
      rewardDistributorAbi,
    ]
    const names = (parameters: readonly AbiParameter[]): readonly string[] =>
      parameters.flatMap((parameter) => {
        if ('components' in parameter) return names(parameter.components)
        return parameter.type.startsWith('address') ? [parameter.name ?? ''] : []
      })
    const writes = abis.flatMap((abi) =>
      abi.flatMap((item) => (item.type === 'function' && item.stateMutability !== 'view' ? [item] : [])),
    )
    expect([...new Set(writes.flatMap(({ inputs }) => names(inputs)))].sort()).toEqual([
      'currency0',
      'currency1',
      'hooks',
      'path',
      'recipient',
      'to',
      'token',
      'token0',
      'token1',
      'tokenA',
      'tokenB',
      'tokenIn',
      'tokenOut',
      'tokens',
      'users',
    ])
    const withBytes = writes.filter(({ inputs }) => inputs.some(({ type }) => type.startsWith('bytes')))
    expect([...new Set(withBytes.map(({ name }) => name))].sort()).toEqual([
      'claim',
      'execute',
      'modifyLiquidities',
      'multicall',
      'setMetadata',
    ])
  })

  it('never throws, whatever the bytes', () => {
    const surface = fc.constantFrom<Surface>(
      'v2Router',
      'v3PositionManager',
      'v3SwapRouter02',
      'v4PositionManager',
      'universalRouter',
      'wrappedNative',
      'identityRegistry',
      'handleRegistry',
      'rewardDistributor',
    )
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
    const start = fc.constantFrom<Hex>(
      '0x',
      '0xac9650d8',
      '0xdd46508f',
      '0x3593564c',
      '0xfc6f7865',
      '0x88316456',
      '0x8ea42286',
      '0x71ee95c0',
    )
    fc.assert(
      fc.property(surface, start, bytes, (kind, selector, tail) => {
        expect(() => read(kind, target, concat([selector, tail]))).not.toThrow()
      }),
      { numRuns: 2000 },
    )
  })
})

describe('calls of an identity registry', () => {
  const registry: Abi = parseAbi([
    'struct MetadataEntry { string metadataKey; bytes metadataValue; }',
    'function register()',
    'function register(string agentURI, MetadataEntry[] metadata)',
    'function register(string agentURI)',
    'function register(string handle, string metadataURI, uint8 interfaceType)',
    'function setAgentURI(uint256 agentId, string newURI)',
    'function setMetadata(uint256 agentId, string metadataKey, bytes metadataValue)',
    'function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes signature)',
    'function unsetAgentWallet(uint256 agentId)',
    'function approve(address to, uint256 tokenId)',
    'function setApprovalForAll(address operator, bool approved)',
    'function transferFrom(address from, address to, uint256 tokenId)',
    'function safeTransferFrom(address from, address to, uint256 tokenId)',
    'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
    'function multicall(bytes[] data)',
    'function upgradeToAndCall(address newImplementation, bytes data)',
    'function transferOwnership(address newOwner)',
  ])
  const entry = (metadataKey: string) => ({ metadataKey, metadataValue: '0x01' as const })
  const call = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: registry, functionName, args })
  const nothing = { recipients: [], deadlines: [], positionIds: [], removesLiquidity: false, deposits: [] }

  it.each([
    ['register with entries', call('register', ['ipfs://x', [entry('role'), entry('handle')]])],
    ['register', call('register', ['ipfs://x'])],
    ['setAgentURI', call('setAgentURI', [0n, 'ipfs://x'])],
    ['setMetadata', call('setMetadata', [0n, 'role', '0x01'])],
  ])('knows %s', (_what, data) => {
    expect(read('identityRegistry', target, data)).toEqual(nothing)
    expect(read('handleRegistry', target, data)).toBeNull()
  })

  it.each([
    ['an agent without a file', call('register', [])],
    ['the older form', call('register', ['handle', 'ipfs://x', 1])],
    ['the key that the registry keeps, at registration', call('register', ['', [entry('role'), entry('agentWallet')]])],
    ['the key that the registry keeps', call('setMetadata', [0n, 'agentWallet', alice])],
    ['another wallet of the agent', call('setAgentWallet', [0n, alice, 1n, '0x'])],
    ['no wallet of the agent', call('unsetAgentWallet', [0n])],
    ['an approval', call('approve', [alice, 0n])],
    ['an operator', call('setApprovalForAll', [alice, true])],
    ['a transfer', call('transferFrom', [target, alice, 0n])],
    ['a safe transfer', call('safeTransferFrom', [target, alice, 0n])],
    ['a safe transfer with data', call('safeTransferFrom', [target, alice, 0n, '0x'])],
    ['several at once', call('multicall', [[call('register', ['ipfs://x'])]])],
    ['another implementation', call('upgradeToAndCall', [alice, '0x'])],
    ['another owner of the registry', call('transferOwnership', [alice])],
  ])('does not know %s', (_what, data) => {
    expect(read('identityRegistry', target, data)).toBeNull()
  })

  it('knows the older form where the registry has it', () => {
    expect(read('handleRegistry', target, call('register', ['handle', 'ipfs://x', 1]))).toEqual(nothing)
  })
})

describe('calls of a distributor of rewards', () => {
  const distributor: Abi = parseAbi([
    'function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)',
    'function claimWithRecipient(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs, address[] recipients, bytes[] datas)',
    'function setClaimRecipient(address recipient, address token)',
    'function toggleOperator(address user, address operator)',
    'function getMerkleRoot() view returns (bytes32)',
  ])
  const node: Hex = `0x${'ab'.repeat(32)}`
  const call = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: distributor, functionName, args })
  const claim = (users: readonly Address[], tokens = users.map(() => weth)): Hex =>
    call('claim', [users, tokens, users.map(() => 5n), users.map(() => [node])])

  it('a claim pays those it is for, whoever they are, and spends nothing', () => {
    const paid = { deadlines: [], positionIds: [], removesLiquidity: false, deposits: [] }
    const known = (data: Hex) => read('rewardDistributor', target, data)
    expect(claim([alice]).slice(0, 10)).toBe('0x71ee95c0')
    expect(known(claim([alice, alice]))).toEqual({ recipients: [alice], ...paid })
    expect(known(claim([alice, zero, target]))).toEqual({ recipients: [alice, zero, getAddress(target)], ...paid })
    expect(known(claim([caller]))).toEqual({ recipients: [caller], ...paid })
  })

  it.each([
    ['a claim for nobody', claim([])],
    ['fewer tokens than users', claim([alice, alice], [weth])],
    ['fewer users than amounts', call('claim', [[alice], [weth], [5n, 6n], [[node]]])],
    ['fewer proofs than users', call('claim', [[alice], [weth], [5n], []])],
    ['a recipient of its own', call('claimWithRecipient', [[alice], [weth], [5n], [[node]], [target], ['0x']])],
    ['another recipient from now on', call('setClaimRecipient', [target, zero])],
    ['an operator', call('toggleOperator', [alice, target])],
    ['a view function', call('getMerkleRoot', [])],
    ['bytes behind the claim', `${claim([alice])}00`],
    ['arguments cut short', claim([alice]).slice(0, -2) as Hex],
  ] as const)('does not know %s', (_what, data) => {
    expect(read('rewardDistributor', target, data)).toBeNull()
    expect(read('v3PositionManager', target, data)).toBeNull()
  })
})
